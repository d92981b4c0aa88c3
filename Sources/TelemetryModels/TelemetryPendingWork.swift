#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a client still has to do at the store and at the backup, kept across restarts until it is done.
///
/// The lifecycle service makes and reads it. A store of pending work keeps it whole: encoded, it is a JSON object of a few hundred
/// bytes whose contents may grow with later versions.
public struct TelemetryPendingWork: Sendable, Hashable {
    /// The clients whose records are to be created, oldest first. Those that are not the settings' client have no effect: their
    /// opt-in was never completed.
    package private(set) var registrations: [String] = []
    /// Whether the backup differs from the settings.
    package var backup = Backup.unknown
    /// What is to be deleted, oldest first.
    package var deletions: [Deletion] = []

    /// Creates a value without any work.
    public init() {}

    package init(registrations: [String] = [], backup: Backup = .unknown, deletions: [Deletion] = []) {
        self.backup = backup
        for clientId in registrations { addRegistration(of: clientId) }
        for deletion in deletions { add(deletion) }
    }

    /// Whether nothing is to be done, and nothing to be remembered.
    public var isEmpty: Bool { self == TelemetryPendingWork() }

    /// What is known of the backup.
    package indirect enum Backup: Sendable, Hashable {
        /// Nothing: it is taken to be as it should.
        case unknown
        /// These settings were in it last: it is to be replaced where the settings are others.
        case holds(TelemetrySettings)
        /// It is to be replaced, whatever the settings are.
        case outdated
    }

    // MARK: Registrations

    /// More opt-ins than this are never under way at once; older ones were not completed.
    private static let maximumRegistrations = 16

    /// From now on the client's record is to be created.
    package mutating func addRegistration(of clientId: String) {
        guard !registrations.contains(clientId) else { return }
        registrations.append(clientId)
        registrations.removeFirst(max(0, registrations.count - Self.maximumRegistrations))
    }

    /// The client's record exists, or is not wanted any more.
    package mutating func removeRegistration(of clientId: String) { registrations.removeAll { $0 == clientId } }

    // MARK: Deletions

    /// Adds a deletion, merged with those of the same client: at most one of the whole client, one of its sessions and one of its
    /// scenarios remain.
    package mutating func add(_ deletion: Deletion) {
        var merged = deletion
        deletions.removeAll { known in
            guard known.clientId == deletion.clientId else { return false }
            // Deleting the whole client includes its sessions; sessions that follow are those of a client that came back.
            guard known.sessionEnd == nil || deletion.sessionEnd != nil else { return true }
            guard (known.sessionEnd == nil) == (deletion.sessionEnd == nil) else { return false }
            guard known.scenariosOnly == deletion.scenariosOnly else {
                // Merged with an earlier deletion of events, a session that kept its events would lose them.
                return known.scenariosOnly && !deletion.eventsOnly
            }
            merged.merge(known)
            return true
        }
        deletions.append(merged)
    }

    /// The client is wanted again: what ended its consent before has no effect on the new one.
    package mutating func keepConsent(of clientId: String) {
        for index in deletions.indices where deletions[index].clientId == clientId { deletions[index].endsConsent = nil }
    }

    /// A deletion that was begun and is not known to be complete.
    package struct Deletion: Sendable, Hashable {
        /// Whose data it is.
        package var clientId: String
        /// When the session ended whose scenarios and events are deleted; nil to delete everything that the client has.
        package var sessionEnd: Date?
        /// The command that asked for it: it is not deleted, and is still to be marked as executed.
        package var command: TelemetryRecord.ID?
        /// Whether the session goes on, and only its events up to ``sessionEnd`` are deleted.
        package var eventsOnly: Bool
        /// Whether only the scenarios of the session that ended are deleted, and its events stay.
        package var scenariosOnly: Bool
        /// The sessions that ended and of which the store may have events: they are deleted whatever their dates, because the
        /// clock may have been set back.
        package var sessions: [String]
        /// When it was done, where the store's queries may have missed something: it is repeated later.
        package var doneAt: Date?
        /// The client's consent ends with this deletion: the number of opt-outs in the settings before. As long as the settings
        /// have this client and this number, the consent has ended and the settings are still to be changed.
        package var endsConsent: Int?
        /// Whether nothing is to be deleted if the settings have this client again.
        package var endsOnReturn: Bool

        /// Creates a value; the parameters are the properties of the same names.
        package init(
            clientId: String, sessionEnd: Date? = nil, command: TelemetryRecord.ID? = nil, eventsOnly: Bool = false,
            scenariosOnly: Bool = false, doneAt: Date? = nil, sessions: [String] = [], endsConsent: Int? = nil,
            endsOnReturn: Bool = false
        ) {
            self.clientId = clientId
            self.sessionEnd = sessionEnd
            self.command = command
            self.eventsOnly = eventsOnly
            self.scenariosOnly = scenariosOnly
            self.doneAt = doneAt
            self.sessions = sessions
            self.endsConsent = endsConsent
            self.endsOnReturn = endsOnReturn
        }

        /// Covers what an earlier deletion of the same kind for the same client covers.
        fileprivate mutating func merge(_ earlier: Self) {
            if let end = earlier.sessionEnd, let sessionEnd { self.sessionEnd = max(end, sessionEnd) }
            command = command ?? earlier.command
            sessions = earlier.sessions.filter { !sessions.contains($0) } + sessions
            eventsOnly = eventsOnly && earlier.eventsOnly
            if let done = earlier.doneAt, let doneAt { self.doneAt = max(done, doneAt) } else { doneAt = nil }
            if let ends = earlier.endsConsent { endsConsent = max(ends, endsConsent ?? ends) }
            endsOnReturn = endsOnReturn && earlier.endsOnReturn
        }
    }
}
