public import Logging

extension TelemetryTraceSource {
    /// Adds the identifiers to the metadata of swift-log's messages, as `trace_id` and `span_id`.
    ///
    /// A `TelemetryLogHandler` calls it only for messages that are recorded. Combine it with other providers by
    /// `Logger.MetadataProvider.multiplex(_:)`.
    public var metadataProvider: Logger.MetadataProvider {
        Logger.MetadataProvider {
            guard let current else { return [:] }
            return [
                TelemetryTraceContext.traceAttribute: .string(current.traceId),
                TelemetryTraceContext.spanAttribute: .string(current.spanId),
            ]
        }
    }
}
