public import Logging

/// Sends messages to several log handlers, and reads their levels at each message.
///
/// swift-log's `MultiplexLogHandler` reads them once. A scenario that is enabled later would not get messages below the level of
/// the other handlers.
public struct TelemetryMultiplexLogHandler: LogHandler {
    private var handlers: [any LogHandler]

    /// - Parameter handlers: The handlers; of metadata that several of them have, the first one's are read.
    public init(_ handlers: [any LogHandler]) { self.handlers = handlers }

    /// The least level that any of the handlers has now. Setting it sets the level of each handler.
    public var logLevel: Logger.Level {
        get {
            var least = Logger.Level.critical
            for handler in handlers { least = min(least, handler.logLevel) }
            return least
        }
        set { for index in handlers.indices { handlers[index].logLevel = newValue } }
    }

    /// The providers of all handlers in one; nil if none has a provider. Setting it sets the provider of each handler.
    public var metadataProvider: Logger.MetadataProvider? {
        get {
            let providers = handlers.compactMap(\.metadataProvider)
            return providers.isEmpty ? nil : .multiplex(providers)
        }
        set { for index in handlers.indices { handlers[index].metadataProvider = newValue } }
    }

    /// The metadata of all handlers. Setting it sets the metadata of each handler.
    public var metadata: Logger.Metadata {
        get { handlers.reduce(into: [:]) { all, handler in all.merge(handler.metadata) { first, _ in first } } }
        set { for index in handlers.indices { handlers[index].metadata = newValue } }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get {
            for handler in handlers { if let value = handler[metadataKey: key] { return value } }
            return nil
        }
        set { for index in handlers.indices { handlers[index][metadataKey: key] = newValue } }
    }

    public func log(event: LogEvent) {
        for handler in handlers where handler.logLevel <= event.level { handler.log(event: event) }
    }
}
