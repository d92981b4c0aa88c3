public import Foundation
@_spi(Tooling) public import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A query, and how many of its events make it fire a message to a webhook.
public struct RelayAlert: Sendable, Equatable {
    /// Which version of the alert this is; none of another alert has the same.
    var revision: Int64 = 0
    public let name: String
    /// A query without pipes.
    public let query: TelemetryQuery
    /// The number of events that make it fire.
    public let count: Int
    /// The time within which they arrive, in seconds.
    public let within: Int
    /// The name of the webhook.
    public let webhook: String
    /// For how long it does not fire again, in seconds.
    public let quiet: Int
    public let isEnabled: Bool
    /// The name of the token that made it; nil without one.
    public var owner: String?
    /// What that token is limited to; nil if it is not.
    public var scope: RelayScope?

    static let counts = 1...1_000
    static let spans = 1...86_400
    static let quiets = 1...30 * 86_400
    /// The maximum number of alerts.
    static let maximum = 100
    /// The same of those that one token with a scope makes.
    static let maximumOfScope = 10

    /// Whether both fire for the same events in the same way.
    func isSame(as other: RelayAlert) -> Bool {
        var other = other
        (other.revision, other.owner, other.scope) = (revision, owner, scope)
        return self == other
    }

    /// Writes the members that a client sets.
    func write(to writer: inout JSONWriter) {
        writer.member("query", query.description)
        writer.member("count", count)
        writer.member("within", within)
        writer.member("webhook", webhook)
        writer.member("quiet", quiet)
        writer.member("isEnabled", isEnabled)
    }
}

/// An alert with the events that it is evaluated for.
public struct RelayWatchedAlert: Sendable {
    let alert: RelayAlert
    /// With the alert's query, and what its owner sees.
    let filter: RelayEventFilter
}

/// That an alert fires.
public struct RelayFiring: Sendable {
    public let alert: RelayAlert
    /// The last of the events that made it fire, in the order of their arrival, as far as they were evaluated together.
    public let sample: [RelayStoredEvent]
}

/// A message for a firing.
public struct RelayAlertMessage: Sendable {
    public let firing: RelayFiring
    /// Identifies it for the receiver.
    public let identifier: String
    public let body: Data
}
