import Foundation
import Synchronization

/// A query subscription of one user.
public struct ServerSubscription: Sendable {
    public let name: String
    public let query: ServerQuery
    public let isSilent: Bool

    public init(name: String, query: ServerQuery, isSilent: Bool) {
        self.name = name
        self.query = query
        self.isSilent = isSilent
    }
}

/// The contents of a push.
public struct ServerPush: Sendable, Equatable {
    public let subscription: String
    public let record: String
    public let isSilent: Bool

    public init(subscription: String, record: String, isSilent: Bool) {
        self.subscription = subscription
        self.record = record
        self.isSilent = isSilent
    }
}

extension FakeCloudKitServer {
    public func save(_ subscriptions: [ServerSubscription], deleting names: [String], by caller: Caller) throws {
        try state.withLock { state in
            try state.begin()
            guard let user = caller.user else {
                throw ServerFault(code: FaultCode.notAuthenticated, message: "This request requires an authenticated account.")
            }
            for name in names { state.subscriptions[user]?[name] = nil }
            for subscription in subscriptions {
                try state.admit(subscription.query, subscription.query.conditions())
                // Two subscriptions with equal queries are refused.
                let twin = state.subscriptions[user]?.values.first { other in
                    other.name != subscription.name && other.query.type == subscription.query.type
                        && other.query.format == subscription.query.format
                        && other.query.arguments == subscription.query.arguments
                }
                if let twin {
                    throw ServerFault(
                        code: FaultCode.serverRejectedRequest, message: "subscription is duplicate of '\(twin.name)'")
                }
                state.subscriptions[user, default: [:]][subscription.name] = subscription
            }
        }
    }

    public func subscriptions(of caller: Caller) throws -> [ServerSubscription] {
        try state.withLock { state in
            try state.begin()
            return caller.user.flatMap { state.subscriptions[$0] }.map { Array($0.values) } ?? []
        }
    }

    /// Registers a device for pushes, as an app does with the system.
    /// - Returns: A closure that ends the registration.
    public func register(_ caller: Caller, _ receive: @escaping @Sendable (ServerPush) -> Void) -> @Sendable () -> Void {
        let id = UUID()
        state.withLock { $0.devices[caller, default: [:]][id] = receive }
        return { [weak self] in self?.state.withLock { _ = $0.devices[caller]?.removeValue(forKey: id) } }
    }

    /// Delivers pushes that were held to be coalesced: the last one for each device and subscription.
    public func releasePushes() {
        let deliveries = state.withLock { state in
            var last: [Caller: [String: ServerPush]] = [:]
            for held in state.heldPushes { last[held.caller, default: [:]][held.push.subscription] = held.push }
            state.heldPushes = []
            return last.flatMap { caller, pushes in
                pushes.values.flatMap { push in (state.devices[caller] ?? [:]).values.map { (push, $0) } }
            }
        }
        for (push, receive) in deliveries { receive(push) }
    }

    /// Delivers an operation's pushes, after it.
    func deliverPushes() {
        let deliveries = state.withLock { state in
            defer { state.outbox = [] }
            return state.outbox
        }
        for (push, receive) in deliveries { receive(push) }
    }
}

extension FakeCloudKitServer.State {
    /// Pushes to all subscribers' devices except the one that made the change.
    mutating func push(
        about record: ServerRecord, before: ServerRecord?, in database: String, by changer: FakeCloudKitServer.Caller
    ) {
        guard database == "public" else { return }
        for (user, subscriptions) in subscriptions {
            for subscription in subscriptions.values {
                guard subscription.query.type == record.type, let conditions = try? subscription.query.conditions(),
                    conditions.allSatisfy({ $0.holds(for: record) }),
                    may(.read, .init(user: user, device: ""), type: record.type, creator: record.creator, in: database)
                else { continue }
                let push = ServerPush(subscription: subscription.name, record: record.name, isSilent: subscription.isSilent)
                for (caller, receivers) in devices where caller.user == user && caller != changer {
                    switch options.pushes {
                    case .delivered: outbox += receivers.values.map { (push, $0) }
                    case .dropped: break
                    case .coalesced: heldPushes.append((caller, push))
                    }
                }
            }
        }
    }
}
