#if canImport(CloudKit)
public import CloudKit
public import TelemetryTransport

/// A transport over the public database of a CloudKit container, where clients and viewers of one app meet.
///
/// The container needs the schema of ``CloudKitSchemaFile``, and the app the iCloud and push entitlements. Anybody may make any
/// number of these; they share nothing but the container. What CloudKit cannot promise, this cannot either: a query may miss
/// what was saved a moment ago, and a push may never come. So query again after any push, and from time to time without one.
///
/// Every method may throw ``TelemetryTransport/TelemetryTransportError``: `.unauthorized` where nobody is signed in to iCloud or
/// the schema's roles forbid it, `.rateLimited` with `retryAfter` where CloudKit says when to come back, `.unavailable` without a
/// network. A method whose task is cancelled may throw `CancellationError`.
public struct CloudKitTransport: EventuallyConsistentTransport {
    public let container: CKContainer
    /// The container's public database.
    public let database: CKDatabase
    /// The container's identifier.
    public let identifier: String
    let configuration: Configuration
    let hub = CloudKitHub()

    /// - Parameters:
    ///   - containerIdentifier: The container's, as in the app's entitlements: `iCloud.` and a name. CloudKit ends a process that
    ///     uses a container which its entitlements do not name.
    ///   - configuration: How often to look for events, and how long queries may lag.
    public init(containerIdentifier: String, configuration: Configuration = .default) {
        container = CKContainer(identifier: containerIdentifier)
        database = container.publicCloudDatabase
        identifier = containerIdentifier
        self.configuration = configuration
    }

    /// As configured: CloudKit's indexes follow its records with a delay.
    public var consistencyDelay: Duration { configuration.consistencyDelay }

    /// Handles the payload of a push that the app received, and notifies the listeners of ``notifications()``.
    /// - Returns: The notification, or nil if the push is not from a CloudKit query subscription.
    @discardableResult
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) -> TelemetryNotification? {
        guard let notification = TelemetryNotification(userInfo: userInfo) else { return nil }
        hub.notifications.yield(notification)
        hub.arrivals.yield(())
        return notification
    }
}

extension CloudKitTransport {
    /// How the transport works.
    public struct Configuration: Sendable {
        /// How often ``CloudKitTransport/eventStream(matching:after:)`` looks for events of other devices. CloudKit limits how
        /// many requests an app may make.
        public var eventPollingInterval: Duration
        /// How long a query may miss what was saved; CloudKit names no time. What a client deletes is looked for again when it
        /// is over.
        public var consistencyDelay: Duration

        public init(eventPollingInterval: Duration = .seconds(10), consistencyDelay: Duration = .seconds(60)) {
            self.eventPollingInterval = eventPollingInterval
            self.consistencyDelay = consistencyDelay
        }

        public static let `default` = Configuration()
    }
}
#endif
