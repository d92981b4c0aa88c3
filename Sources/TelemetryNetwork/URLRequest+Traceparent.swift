import Foundation
import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The header that carries the trace to the server (W3C Trace Context, section 3.2).
    private static let traceparent = "traceparent"

    /// The request with the trace of the current task's context, unless it has a header `traceparent` or the trace is not known.
    /// - Parameter span: Returns the identifier of a new span, not 0. It is not called if no header is set.
    func traced(span: () -> UInt64) -> URLRequest {
        guard let trace = TelemetryContext.current["trace_id"], Self.isTraceIdentifier(trace),
            value(forHTTPHeaderField: Self.traceparent) == nil
        else { return self }
        var request = self
        request.setValue("00-\(trace)-\(Self.hexadecimal(span()))-01", forHTTPHeaderField: Self.traceparent)
        return request
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
