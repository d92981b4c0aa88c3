#if canImport(CloudKit)
public import CloudKit
public import TelemetryModels
public import TelemetryTransport

/// A transport over the public database of a CloudKit container, which the clients and viewers of one app share.
///
/// The container needs the schema of ``CloudKitSchemaFile``, and the app the iCloud and push entitlements. Any number of
/// transports may exist; they share only the container. CloudKit's limitations apply: a query may miss recently saved records,
/// and a push may never arrive. So query again after each push, and from time to time without one.
///
/// Every method may throw ``TelemetryTransport/TelemetryTransportError``: `.unauthorized` if no user is signed in to iCloud or
/// the schema's roles forbid it, `.rateLimited` with `retryAfter` if CloudKit requests a delay, `.unavailable` without a network.
/// A method whose task is cancelled may throw `CancellationError`.
public struct CloudKitTransport: TelemetryTransporting {
    public let container: CKContainer
    /// The container's public database.
    public let database: CKDatabase
    /// The container's identifier.
    public let identifier: String
    let configuration: Configuration
    let hub = CloudKitHub()

    /// - Parameters:
    ///   - containerIdentifier: The container's identifier, as in the app's entitlements: `iCloud.` and a name. CloudKit
    ///     terminates a process that uses a container without the entitlement.
    ///   - configuration: The polling interval, and how long queries may lag.
    public init(containerIdentifier: String, configuration: Configuration = .default) {
        container = CKContainer(identifier: containerIdentifier)
        database = container.publicCloudDatabase
        identifier = containerIdentifier
        self.configuration = configuration
    }

    /// The configured delay with which CloudKit's indexes follow its records.
    public var consistencyDelay: Duration { configuration.consistencyDelay }

    /// Handles the payload of a push that the app received, and sends it to the consumers of ``notifications()``.
    /// - Returns: The notification, or nil if the push is not from a CloudKit query subscription.
    @discardableResult
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) -> TelemetryNotification? {
        guard let notification = TelemetryNotification(userInfo: userInfo) else { return nil }
        hub.notifications.yield(notification)
        hub.arrivals.yield(())
        return notification
    }

    // MARK: The container

    /// Whether the container can be reached and has the record types and indexes that the transport's queries need.
    public func validateSchema() async -> Bool {
        do {
            for type in CloudKitSchemaFile.queriedRecordTypes {
                let query = CKQuery(recordType: type, predicate: CloudKitPredicate().predicate)
                _ = try await database.records(matching: query, desiredKeys: [], resultsLimit: 1)
            }
            _ = try await events(matching: .init(sessionId: "-"), after: nil, limit: 1)
            return true
        } catch {
            return false
        }
    }

    /// The container's identifier.
    public nonisolated var storeIdentifier: String? { "cloudkit:\(identifier)" }

    public func debugInfo() async -> DebugInfo {
        await debugInfo(containerID: identifier, environment: Self.environment)
    }

    /// CloudKit does not report its environment to an app. The entitlement determines it; without one, the kind of signature
    /// does.
    private static var environment: String {
        #if DEBUG
        "CloudKit, public database; development, unless the app's entitlement says otherwise"
        #else
        "CloudKit, public database; production, unless the app is signed for development"
        #endif
    }

    // MARK: Parts

    var requests: CloudKitRequests { CloudKitRequests(database: database) }
    var receipts: CloudKitReceipts { CloudKitReceipts(requests: requests) }
    var saving: CloudKitSaving { CloudKitSaving(requests: requests, receipts: receipts) }
}

extension CloudKitTransport {
    /// The transport's configuration.
    public struct Configuration: Sendable {
        /// How often ``CloudKitTransport/eventStream(matching:after:)`` polls for events of other devices. CloudKit limits the
        /// number of an app's requests.
        public var eventPollingInterval: Duration
        /// How long a query may miss saved records. CloudKit documents no limit. A client's deletions are repeated after this
        /// time.
        public var consistencyDelay: Duration

        public init(eventPollingInterval: Duration = .seconds(10), consistencyDelay: Duration = .seconds(60)) {
            self.eventPollingInterval = eventPollingInterval
            self.consistencyDelay = consistencyDelay
        }

        public static let `default` = Configuration()
    }
}
#endif
