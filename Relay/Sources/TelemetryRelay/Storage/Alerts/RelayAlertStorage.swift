public import Foundation

/// Stores alerts, and for which events they fire.
public protocol RelayAlertStorage: Sendable {
    /// All alerts, sorted by name. One that cannot be read is left out, and logged.
    func all() async throws -> RelayAlertList

    /// Stores an alert, with an entry of the audit. It is evaluated for events that arrive later. Storing it again without a change does not
    /// begin anew.
    /// - Parameter replace: returns what to store in place of one with that name, nil if that cannot be read, or throws.
    /// - Throws: ``RelayStorageError/refused(_:)`` if there is no such webhook, or too many alerts.
    func save(
        _ alert: RelayAlert, by actor: RelayActor, replace: @escaping @Sendable (_ stored: RelayAlert?) throws -> RelayAlert
    ) async throws

    /// Deletes an alert, with an entry of the audit.
    /// - Parameter isAllowed: whether the caller may delete it; nil if it cannot be read.
    /// - Returns: whether it was deleted.
    func remove(
        named name: String, by actor: RelayActor, where isAllowed: @escaping @Sendable (RelayAlert?) -> Bool
    ) async throws -> Bool

    /// Finds what alerts fire for among the next events that were not evaluated.
    /// - Parameters:
    ///   - revision: that of the list with the alerts.
    ///   - now: the time that queries compare with.
    /// - Returns: nil if no event is left, if another relay evaluates them, or if an alert was saved since the list was read.
    func evaluate(_ alerts: [RelayWatchedAlert], of revision: Int64, now: Date) async throws -> RelayAlertEvaluation?

    /// Stores that events were evaluated, and the messages to send, in one transaction. Does nothing if another relay did it first, or if an
    /// alert was saved since: it may concern these events.
    /// - Returns: the firings whose message cannot be sent, with the reason; nil if nothing was done.
    func commit(_ evaluation: RelayAlertEvaluation, _ messages: [RelayAlertMessage]) async throws -> [RelayUnsentFiring]?

    /// Stores which clients were seen, and the messages of alerts that fire because others were not, in one transaction.
    /// - Returns: the firings whose message cannot be sent, with the reason.
    func watch(
        _ watch: RelayClientWatch, message: @escaping @Sendable (RelayFiring) -> RelayAlertMessage
    ) async throws -> [RelayUnsentFiring]
}

/// Who was seen, and the alerts that fire for clients that were not.
public struct RelayClientWatch: Sendable {
    /// The maximum time between two checks, in seconds.
    static let maximumInterval: TimeInterval = 30

    let alerts: [RelayAlert]
    /// The identifiers of the approved clients by their ``NameKey``s.
    let approved: [Data: String]
    /// The keys of the clients that were seen since the last time.
    let seen: Set<Data>
    /// The time between two checks, in seconds.
    let interval: TimeInterval
    /// Whether an alert concerns a client.
    let concerns: @Sendable (RelayAlert, String) -> Bool

    /// The maximum time between two checks in which relays see clients, in seconds.
    var gap: TimeInterval { interval + 2 }
    /// After what time each relay has stored whom it saw, in seconds.
    var delay: TimeInterval { interval + 1 }

    /// A tenth of the shortest silence, at least a second. More if there are many clients, because a check reads them all.
    static func interval(of alerts: [RelayAlert], clients: Int) -> TimeInterval {
        let shortest = alerts.compactMap(\.silence?.seconds).min() ?? 0
        return min(max(1, Double(shortest) / 10, Double(clients) / 2_000), maximumInterval)
    }
}

/// Alerts, and a number that changes when one is saved.
public struct RelayAlertList: Sendable {
    public let alerts: [RelayAlert]
    let revision: Int64
}

/// What was found among some events.
public struct RelayAlertEvaluation: Sendable {
    /// What was found for an alert.
    struct Change: Sendable {
        let alert: RelayAlert
        let window: AlertWindow
    }

    /// The numbers of the events.
    let numbers: ClosedRange<Int64>
    /// Whether more events were there.
    let hasMore: Bool
    /// That of the list with the alerts.
    let revision: Int64
    let changes: [Change]
    /// The number of blocks that cannot be read, or could not all be found.
    public let unreadable: Int
    public let firings: [RelayFiring]
}

/// A firing without a message.
public struct RelayUnsentFiring: Sendable, Equatable {
    public let alert: String
    public let reason: String
}
