public import Foundation
@_spi(Tooling) public import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A condition, and the webhook that gets a message when it holds.
public struct RelayAlert: Sendable, Equatable {
    /// What makes an alert fire.
    public enum Condition: Sendable, Equatable {
        case events(Events)
        case silence(Silence)
    }

    /// That events arrive which a query matches.
    public struct Events: Sendable, Equatable {
        /// A query without pipes.
        public let query: TelemetryQuery
        /// The number of events.
        public let count: Int
        /// The time within which they arrive, in seconds.
        public let within: Int

        static let counts = 1...1_000
        static let spans = 1...86_400
    }

    /// That an approved client is not seen.
    public struct Silence: Sendable, Equatable {
        /// For how long, in seconds.
        public let seconds: Int
        /// Which clients it concerns.
        public let clients: NamePattern

        static let spans = 1...30 * 86_400
        /// The maximum size of the pattern, in bytes.
        static let maximumPattern = 1_000
    }

    /// Which version of the alert this is; none of another alert has the same.
    var revision: Int64 = 0
    public let name: String
    public let condition: Condition
    /// The name of the webhook.
    public let webhook: String
    /// For how long it does not fire again, in seconds.
    public let quiet: Int
    public let isEnabled: Bool
    /// The name of the token that made it; nil without one.
    public var owner: String?
    /// What that token is limited to; nil if it is not.
    public var scope: RelayScope?

    static let quiets = 1...30 * 86_400
    /// The maximum number of alerts.
    static let maximum = 100
    /// The same of those that one token with a scope makes.
    static let maximumOfScope = 10

    /// The condition, if it is about events.
    var events: Events? { if case .events(let events) = condition { events } else { nil } }
    /// The condition, if it is silence.
    var silence: Silence? { if case .silence(let silence) = condition { silence } else { nil } }

    /// Whether both fire for the same events in the same way.
    func isSame(as other: RelayAlert) -> Bool {
        var other = other
        (other.revision, other.owner, other.scope) = (revision, owner, scope)
        return self == other
    }

    /// Writes the members that a client sets.
    func write(to writer: inout JSONWriter) {
        switch condition {
        case .events(let events):
            writer.member("query", events.query.description)
            writer.member("count", events.count)
            writer.member("within", events.within)
        case .silence(let silence):
            writer.member("silence", silence.seconds)
            writer.member("clients", silence.clients.text)
        }
        writer.member("webhook", webhook)
        writer.member("quiet", quiet)
        writer.member("isEnabled", isEnabled)
    }
}

/// An alert with the events that it is evaluated for.
public struct RelayWatchedAlert: Sendable {
    let alert: RelayAlert
    let condition: RelayAlert.Events
    /// With the alert's query, and what its owner sees.
    let filter: RelayEventFilter
}

/// That an alert fires.
public struct RelayFiring: Sendable {
    /// The maximum number of clients that it names.
    static let maximumClients = 100
    /// The maximum size of the events in its message, and of the names of clients, in bytes.
    static let maximumBytes = 64 << 10

    public let alert: RelayAlert
    /// The number of events, or of clients.
    public let count: Int
    /// The last of the events that made it fire, in the order of their arrival, as far as they were evaluated together.
    public var sample: [RelayStoredEvent] = []
    /// The clients that were not seen, in the reverse order in which they were seen last.
    public var clients: [String] = []

    /// The first clients, as many as a message may name.
    static func named(_ clients: [String]) -> [String] {
        var bytes = 0
        return clients.prefix(maximumClients).prefix { client in
            bytes += client.escapedCount
            return bytes <= maximumBytes
        }.map(\.self)
    }
}

/// A message for a firing.
public struct RelayAlertMessage: Sendable {
    public let firing: RelayFiring
    /// Identifies it for the receiver.
    public let identifier: String
    public let body: Data
}
