public import Foundation
import Synchronization

/// A server that behaves as CloudKit's documentation says, as far as clients of this package can see: limits, conflicts, faults
/// of single items, throttling, pages that are offsets, an index that lags behind, roles, and pushes that may get lost.
///
/// It believes the documentation; whether CloudKit does is not proven by it. Time stands still but for a millisecond an operation.
public final class FakeCloudKitServer: Sendable {
    public struct Options: Sendable {
        /// The most records in an operation, and bytes in one or in a record.
        public var maximumItems = 400
        public var maximumBytes = 2_000_000
        public var maximumRecordBytes = 1_000_000
        public var pageSize = 100
        /// How long, in seconds, until a query knows of a change.
        public var indexDelay: TimeInterval = 0
        /// The schema file; nil for a container in development without one.
        public var schema: ServerSchema?
        /// Whether types and fields that the schema lacks are made on the spot, as in development.
        public var isDevelopment = true
        /// How far apart, in seconds, the records of one operation are created, in no particular order; at 0 all at once.
        public var creationSpread: TimeInterval = 0
        /// Whether a fetch of what the caller may not read says so, or finds nothing.
        public var tellsOfForbidden = false
        /// Whether the parts of dates below a millisecond are lost.
        public var keepsWholeMilliseconds = true
        /// Whether an operation of which an item failed fails as a whole, with the items' errors in it.
        public var failsPartially = false
        /// In which order a query finds what its sort descriptor leaves open: another one for another salt.
        public var salt: UInt64 = 0
        /// What becomes of pushes.
        public var pushes = Pushes.delivered

        public init() {}
    }

    public enum Pushes: Sendable {
        case delivered
        /// None arrives.
        case dropped
        /// Held back; when released, only the last for each subscription arrives.
        case coalesced
    }

    /// Who asks: a user, or nobody signed in, on one of their devices.
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

    /// Changes how the server behaves from now on.
    public func configure(_ change: (inout Options) -> Void) { state.withLock { change(&$0.options) } }

    /// Lets time pass: the index catches up.
    public func advance(by seconds: TimeInterval) { state.withLock { $0.now += seconds } }

    /// Assigns a role to a user, as one does in CloudKit's console.
    public func assign(_ role: String, to user: String) { state.withLock { _ = $0.roles[user, default: []].insert(role) } }

    /// Fails whole operations, the next first.
    public func failNextOperations(_ faults: [ServerFault]) { state.withLock { $0.operationFaults += faults } }

    /// Fails the next saves of the record of this name, where others in the operation succeed.
    public func failNextSaves(of name: String, _ faults: [ServerFault]) {
        state.withLock { $0.itemFaults[name, default: []] += faults }
    }

    /// Fails the next records that are to be saved, whichever they are, where others in the operation succeed.
    public func failNextItems(_ faults: [ServerFault]) { state.withLock { $0.anyItemFaults += faults } }

    /// Forgets the faults that have not come to pass.
    public func clearFaults() {
        state.withLock { state in
            state.operationFaults = []
            state.itemFaults = [:]
            state.anyItemFaults = []
        }
    }

    /// How many records each modifying operation named so far, of those that were accepted or refused.
    public var operationSizes: [Int] { state.withLock(\.operationSizes) }

    /// The records of a database, by name.
    public func records(ofDatabase database: String = "public") -> [String: ServerRecord] {
        state.withLock { $0.databases[database]?.records ?? [:] }
    }
}

extension FakeCloudKitServer {
    struct Database {
        var records: [String: ServerRecord] = [:]
        /// What queries see: changes that have reached the index.
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

        /// Begins an operation: time passes, and a fault that was asked for comes to pass.
        mutating func begin() throws {
            now += 0.001
            for name in databases.keys { databases[name]?.catchUp(to: now) }
            if !operationFaults.isEmpty { throw operationFaults.removeFirst() }
        }
    }
}
