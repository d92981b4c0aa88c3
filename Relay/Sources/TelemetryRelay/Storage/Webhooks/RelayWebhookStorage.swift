public import Foundation

/// Stores webhooks, and the deliveries that wait to be sent to them.
///
/// A delivery stays until it is completed, so that it is sent at least once, whichever relay of the store ends when. Those of one
/// webhook are taken in the order in which they were added.
public protocol RelayWebhookStorage: Sendable {
    /// Stores a webhook, with an entry of the audit.
    /// - Throws: ``RelayStorageError/nameInUse(_:)``, or ``RelayStorageError/refused(_:)`` if there are too many.
    func create(_ webhook: RelayWebhook) async throws

    /// All webhooks, sorted by name.
    func all() async throws -> [RelayWebhook]

    /// Deletes a webhook and its deliveries, with an entry of the audit.
    /// - Returns: whether there was one.
    func remove(named name: String) async throws -> Bool

    /// Adds a delivery.
    /// - Parameters:
    ///   - message: identifies it for the receiver.
    ///   - limit: how many deliveries wait for that webhook at most, with this one.
    /// - Returns: whether a webhook has that name.
    /// - Throws: ``RelayStorageError/refused(_:)`` if so many wait already.
    func add(_ body: Data, as message: String, to name: String, before limit: Int) async throws -> Bool

    /// Takes the first delivery of a webhook, unless it was taken or has to wait. No relay takes it again for ``RelayDelivery/lease``
    /// seconds.
    /// - Parameter webhook: the webhook's number; nil for each webhook.
    func take(of webhook: Int64?) async throws -> [RelayDelivery]

    /// Deletes a delivery.
    func complete(_ delivery: RelayDelivery) async throws

    /// Lets a delivery be taken again after some seconds, with those behind it.
    /// - Parameter failure: why it was not delivered.
    func postpone(_ delivery: RelayDelivery, by delay: TimeInterval, failure: String) async throws

    /// What became of a delivery so far.
    func progress(of message: String) async throws -> RelayDeliveryProgress
}

/// Where deliveries are sent.
public struct RelayWebhook: Sendable, Equatable {
    /// Identifies it in the database.
    var number: Int64 = 0
    public let name: String
    public let url: String
    public let secret: WebhookSecret
    public let created: Date

    static let maximum = 100
}

/// A message that waits to be sent.
public struct RelayDelivery: Sendable, Equatable {
    /// How long a taken delivery is not taken again, in seconds: longer than an attempt takes.
    static let lease: TimeInterval = 20
    /// The maximum number of deliveries that wait for one webhook.
    static let maximumWaiting = 1_000
    /// The same of messages without events, which must not take the places of others.
    static let maximumTests = 100

    public let webhook: RelayWebhook
    /// The same in every attempt.
    public let message: String
    public let body: Data
    /// The number of attempts, with this one.
    public let attempts: Int
    /// The time since it was added, in seconds.
    public let age: TimeInterval
}

/// What became of a delivery.
public enum RelayDeliveryProgress: Sendable, Equatable {
    /// It was completed, or removed with its webhook.
    case ended
    /// It waits. Nil if no attempt has failed yet.
    case waiting(lastFailure: String?)
}
