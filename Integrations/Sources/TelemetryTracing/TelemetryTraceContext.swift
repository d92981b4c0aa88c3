public import TelemetryModels

/// The identifiers of the trace and the span in which an event is logged, as W3C Trace Context defines them.
public struct TelemetryTraceContext: Sendable, Hashable {
    /// The attribute with the trace's identifier, which OTLP maps to `traceId`.
    public static let traceAttribute = "trace_id"
    /// The attribute with the span's identifier, which OTLP maps to `spanId`.
    public static let spanAttribute = "span_id"

    /// The trace's identifier: 32 hexadecimal digits in lower case, not all 0.
    public let traceId: String
    /// The span's identifier: 16 hexadecimal digits in lower case, not all 0.
    public let spanId: String

    /// Creates a context; nil if an identifier is not valid. Upper case becomes lower case.
    public init?(traceId: some StringProtocol, spanId: some StringProtocol) {
        self.init(trace: Array(traceId.utf8)[...], span: Array(spanId.utf8)[...])
    }

    /// Creates the context of a `traceparent` header, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; nil if it
    /// is not valid.
    public init?(traceparent: some StringProtocol) {
        // Bytes, because finding the characters of a string takes much longer. Version 00 has exactly four parts; later versions may
        // have more. Version ff is forbidden.
        let bytes = Array(traceparent.utf8)
        guard bytes.count >= Self.length, [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            bytes.count == Self.length || bytes[Self.length] == UInt8(ascii: "-"),
            let version = Self.number(bytes[..<2]), version != 0xff, version != 0 || bytes.count == Self.length,
            Self.number(bytes[53..<55]) != nil
        else { return nil }
        self.init(trace: bytes[3..<35], span: bytes[36..<52])
    }

    /// The number of bytes of a `traceparent` of version 00.
    private static let length = 55

    private init?(trace: ArraySlice<UInt8>, span: ArraySlice<UInt8>) {
        guard let traceId = Self.identifier(trace, digits: 32), let spanId = Self.identifier(span, digits: 16) else { return nil }
        self.traceId = traceId
        self.spanId = spanId
    }

    /// The identifiers as attributes of an event.
    public var attributes: [String: TelemetryValue] {
        [Self.traceAttribute: .string(traceId), Self.spanAttribute: .string(spanId)]
    }

    private static func identifier(_ bytes: ArraySlice<UInt8>, digits: Int) -> String? {
        guard bytes.count == digits, bytes.allSatisfy(isDigit), bytes.contains(where: { $0 != UInt8(ascii: "0") }) else {
            return nil
        }
        if !bytes.contains(where: isUpperCase) { return String(decoding: bytes, as: UTF8.self) }
        // Makes letters lower case, and does not change digits.
        return String(decoding: bytes.map { $0 | 0x20 }, as: UTF8.self)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        bytes.allSatisfy(isDigit) ? UInt8(String(decoding: bytes, as: UTF8.self), radix: 16) : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) }
}
