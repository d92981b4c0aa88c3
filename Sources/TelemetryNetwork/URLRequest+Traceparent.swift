import Foundation
@_spi(Tooling) import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// The request with the trace of the current task's context, unless it has a header `traceparent` or the trace is not known.
    /// - Parameter span: Returns the identifier of a new span, not 0. It is not called if no header is set.
    func traced(span: () -> UInt64) -> URLRequest {
        let header = TelemetryContext.traceparentHeader
        guard value(forHTTPHeaderField: header) == nil, let trace = TelemetryContext.traceparent(span: span) else { return self }
        var request = self
        request.setValue(trace, forHTTPHeaderField: header)
        return request
    }
}
