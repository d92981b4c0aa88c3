public import Logging

/// A swift-log handler that does nothing, to measure the cost of swift-log's front end.
public struct DiscardingLogHandler: LogHandler {
    public var logLevel: Logger.Level = .trace
    public var metadata: Logger.Metadata = [:]

    public init() {}

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    @inline(never)
    public func log(event: LogEvent) { consume(event.message) }

    @inline(never) @_optimize(none)
    private func consume(_ message: Logger.Message) {}
}
