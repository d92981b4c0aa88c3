#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a client still owes to the store and the backup, remembered across restarts until it is done.
public struct TelemetryObligations: Sendable, Hashable, Codable {
    /// The client's record is wanted and was not created yet.
    public var registration: Bool
    /// The settings changed and the backup does not know it yet.
    public var backup: Bool
    /// What is still to be deleted, oldest first.
    public var cleanups: [Cleanup]

    /// Creates a value; the parameters are the properties of the same names.
    public init(registration: Bool = false, backup: Bool = false, cleanups: [Cleanup] = []) {
        self.registration = registration
        self.backup = backup
        self.cleanups = cleanups
    }

    /// Whether nothing is owed.
    public var isEmpty: Bool { self == TelemetryObligations() }

    /// Adds a deletion, merged with those of the same client: at most one for its departure and one for its sessions remain.
    public mutating func add(_ cleanup: Cleanup) {
        var merged = cleanup
        cleanups.removeAll { known in
            guard known.clientId == cleanup.clientId else { return false }
            // Whoever leaves with everything leaves with the sessions as well; sessions of a client that came back are its own.
            guard known.sessionEnd == nil || cleanup.sessionEnd != nil else { return true }
            guard (known.sessionEnd == nil) == (cleanup.sessionEnd == nil) else { return false }
            merged.merge(known)
            return true
        }
        cleanups.append(merged)
    }

    /// A deletion that was begun and is not known to be complete.
    public struct Cleanup: Sendable, Hashable, Codable {
        /// Whose data it is.
        public var clientId: String
        /// When the session ended whose scenarios and events go; nil where the client leaves with everything that it has.
        public var sessionEnd: Date?
        /// The command that asked for it: it stays, and is still to be told as executed.
        public var command: TelemetryRecord.ID?
        /// Whether the session goes on, and only its events up to ``sessionEnd`` go.
        public var isOfEventsOnly: Bool
        /// The sessions that ended and of which the store may have events: they go whatever their time says, because the clock
        /// may have been set back.
        public var sessions: [String]
        /// When it was done, where the store's queries may have hidden something: it is done once more later.
        public var doneAt: Date?

        /// Creates a value; the parameters are the properties of the same names.
        public init(
            clientId: String, sessionEnd: Date? = nil, command: TelemetryRecord.ID? = nil, isOfEventsOnly: Bool = false,
            doneAt: Date? = nil, sessions: [String] = []
        ) {
            self.clientId = clientId
            self.sessionEnd = sessionEnd
            self.command = command
            self.isOfEventsOnly = isOfEventsOnly
            self.doneAt = doneAt
            self.sessions = sessions
        }

        /// Covers what an earlier deletion of the same kind for the same client covers.
        fileprivate mutating func merge(_ earlier: Self) {
            if let end = earlier.sessionEnd, let sessionEnd { self.sessionEnd = max(end, sessionEnd) }
            command = command ?? earlier.command
            sessions = earlier.sessions.filter { !sessions.contains($0) } + sessions
            isOfEventsOnly = isOfEventsOnly && earlier.isOfEventsOnly
            if let done = earlier.doneAt, let doneAt { self.doneAt = max(done, doneAt) } else { doneAt = nil }
        }
    }
}

extension TelemetryObligations {
    private enum CodingKeys: String, CodingKey { case registration, backup, cleanups }

    /// Merges the deletions of one client, which earlier versions stored one by one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            registration: try container.decode(Bool.self, forKey: .registration),
            backup: try container.decode(Bool.self, forKey: .backup))
        for cleanup in try container.decode([Cleanup].self, forKey: .cleanups) { add(cleanup) }
    }
}

extension TelemetryObligations.Cleanup {
    private enum CodingKeys: String, CodingKey { case clientId, sessionEnd, command, isOfEventsOnly, doneAt, sessions }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            clientId: try container.decode(String.self, forKey: .clientId),
            sessionEnd: try container.decodeTimestampIfPresent(forKey: .sessionEnd),
            command: try container.decodeIfPresent(TelemetryRecord.ID.self, forKey: .command),
            isOfEventsOnly: try container.decodeIfPresent(Bool.self, forKey: .isOfEventsOnly) ?? false,
            doneAt: try container.decodeTimestampIfPresent(forKey: .doneAt),
            sessions: try container.decodeIfPresent([String].self, forKey: .sessions) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clientId, forKey: .clientId)
        try container.encodeTimestampIfPresent(sessionEnd, forKey: .sessionEnd)
        try container.encodeIfPresent(command, forKey: .command)
        if isOfEventsOnly { try container.encode(true, forKey: .isOfEventsOnly) }
        try container.encodeTimestampIfPresent(doneAt, forKey: .doneAt)
        if !sessions.isEmpty { try container.encode(sessions, forKey: .sessions) }
    }
}
