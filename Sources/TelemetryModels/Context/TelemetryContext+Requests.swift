@_spi(Tooling)
extension TelemetryContext {
    /// The name of the header that carries a trace to a server (W3C Trace Context, section 3.2).
    public static var traceparentHeader: String { "traceparent" }

    /// The header's value with the trace of the current context; nil if the trace is not known.
    /// - Parameter span: Returns the identifier of a new span, not 0. It is not called if the result is nil.
    public static func traceparent(span: () -> UInt64) -> String? {
        guard let trace = current["trace_id"], isTraceIdentifier(trace) else { return nil }
        return "00-\(trace)-\(hexadecimal(span()))-01"
    }

    /// Runs an operation in a context with these values alone, such as those of another task.
    public static func replaced<Result>(by values: [String: String], operation: () throws -> Result) rethrows -> Result {
        try $values.withValue(ContextValues([:], adding: values), operation: operation)
    }

    private static func isTraceIdentifier(_ text: String) -> Bool {
        let digits = text.utf8
        return digits.count == 32 && digits.contains { $0 != UInt8(ascii: "0") }
            && digits.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x66) }
    }

    /// 16 digits.
    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
