public import Foundation
import Synchronization

/// A server that behaves as CloudKit's documentation says, as far as this package's clients can observe: limits, conflicts,
/// faults of single items, throttling, pages by offset, a lagging index, roles, and pushes that may get lost.
///
/// It follows the documentation and does not prove CloudKit's behavior. Time advances only by a millisecond per operation.
public final class FakeCloudKitServer: Sendable {
    public struct Options: Sendable {
        /// The maximum number of records in an operation, and of bytes in an operation and in a record.
        public var maximumItems = 400
        public var maximumBytes = 2_000_000
        public var maximumRecordBytes = 1_000_000
        public var pageSize = 100
        /// The maximum number of values in a query's conditions.
        public var maximumQueryValues = 192
        /// The time, in seconds, until a query finds a change.
        public var indexDelay: TimeInterval = 0
        /// The schema file; nil for a container in development without one.
        public var schema: ServerSchema?
        /// Whether missing types and fields are created on demand, as in development.
        public var isDevelopment = true
        /// The time, in seconds, over which the records of one operation are created, in no particular order; 0 for all at once.
        public var creationSpread: TimeInterval = 0
        /// Whether fetching a record that the caller may not read is an error; otherwise it is missing.
        public var reportsForbidden = false
        /// Whether dates are truncated to milliseconds.
        public var keepsWholeMilliseconds = true
        /// Whether an operation with a failed item fails as a whole, with the items' errors.
        public var failsPartially = false
        /// Determines the order of query results that the sort descriptor leaves open.
        public var salt: UInt64 = 0
        /// How pushes are delivered.
        public var pushes = Pushes.delivered

        public init() {}
    }

    public enum Pushes: Sendable {
        case delivered
        /// No push arrives.
        case dropped
        /// Pushes are held; when released, only the last one for each subscription arrives.
        case coalesced
    }

    /// The caller: a user on one of their devices, or a device without a signed-in user.
    public struct Caller: Sendable, Hashable {
        public let user: String?
        public let device: String

        public init(user: String?, device: String) {
            self.user = user
            self.device = device
        }
    }

    let state: Mutex<State>

    public init(options: Options = Options()) {
        state = Mutex(State(options: options))
    }

    /// Changes the server's behavior from now on.
    public func configure(_ change: (inout Options) -> Void) { state.withLock { change(&$0.options) } }

    /// Advances the time; the index catches up.
    public func advance(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// Assigns a role to a user, as CloudKit's console does.
    public func assign(_ role: String, to user: String) { state.withLock { _ = $0.roles[user, default: []].insert(role) } }

    /// Fails whole operations, starting with the next one.
    public func failNextOperations(_ faults: [ServerFault]) { state.withLock { $0.operationFaults += faults } }

    /// Fails the next saves of the record of this name, while others in the operation succeed.
    public func failNextSaves(of name: String, _ faults: [ServerFault]) {
        state.withLock { $0.itemFaults[name, default: []] += faults }
    }

    /// Fails the next records to be saved, while others in the operation succeed.
    public func failNextItems(_ faults: [ServerFault]) { state.withLock { $0.anyItemFaults += faults } }

    /// Removes the faults that have not occurred.
    public func clearFaults() {
        state.withLock { state in
            state.operationFaults = []
            state.itemFaults = [:]
            state.anyItemFaults = []
        }
    }

    /// The number of records in each modifying operation so far, accepted or refused.
    public var operationSizes: [Int] { state.withLock(\.operationSizes) }

    /// The records of a database, by name.
    public func records(ofDatabase database: String = "public") -> [String: ServerRecord] {
        state.withLock { $0.databases[database]?.records ?? [:] }
    }
}

extension FakeCloudKitServer {
    struct Database {
        var records: [String: ServerRecord] = [:]
        /// The records that queries find: changes that have reached the index.
        var index: [String: ServerRecord] = [:]
        var lag: [(due: Date, name: String, record: ServerRecord?)] = []

        mutating func catchUp(to now: Date) {
            for change in lag where change.due <= now { index[change.name] = change.record }
            lag.removeAll { $0.due <= now }
        }
    }

    struct State {
        var options: Options
        var now = Date(timeIntervalSince1970: 1_700_000_000)
        var nextTag = 0
        var databases: [String: Database] = [:]
        var roles: [String: Set<String>] = [:]
        var operationFaults: [ServerFault] = []
        var itemFaults: [String: [ServerFault]] = [:]
        var anyItemFaults: [ServerFault] = []
        var operationSizes: [Int] = []
        var subscriptions: [String: [String: ServerSubscription]] = [:]
        var devices: [Caller: [UUID: @Sendable (ServerPush) -> Void]] = [:]
        var heldPushes: [(caller: Caller, push: ServerPush)] = []
        var outbox: [(push: ServerPush, receive: @Sendable (ServerPush) -> Void)] = []
        var schema: ServerSchema?

        init(options: Options) {
            self.options = options
            schema = options.schema
        }

        /// Begins an operation: advances the time, and throws a scripted fault.
        mutating func begin() throws {
            now += 0.001
            for name in databases.keys { databases[name]?.catchUp(to: now) }
            if !operationFaults.isEmpty { throw operationFaults.removeFirst() }
        }
    }
}
