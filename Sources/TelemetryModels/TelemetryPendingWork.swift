#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The changes that a client still has to make in the store and the backup, kept across restarts until they are made.
///
/// The lifecycle service creates and reads it. A store of pending work keeps it as one value: a JSON object of a few hundred
/// bytes, to which later versions may add members.
public struct TelemetryPendingWork: Sendable, Hashable {
    /// The clients whose records have to be created, oldest first. Only the settings' client counts: the opt-in of any other was
    /// never completed.
    package private(set) var registrations: [String] = []
    /// Whether the backup differs from the settings.
    package var backup = Backup.unknown
    /// The pending deletions, oldest first.
    package var deletions: [Deletion] = []

    /// Creates a value without any work.
    public init() {}

    package init(registrations: [String] = [], backup: Backup = .unknown, deletions: [Deletion] = []) {
        self.backup = backup
        for clientId in registrations { addRegistration(of: clientId) }
        for deletion in deletions { add(deletion) }
    }

    /// Whether there is no pending work and nothing is known of the backup.
    public var isEmpty: Bool { self == TelemetryPendingWork() }

    /// What is known about the backup.
    package indirect enum Backup: Sendable, Hashable {
        /// Nothing; it is assumed to be up to date.
        case unknown
        /// It last held these settings. It has to be replaced if the settings differ.
        case holds(TelemetrySettings)
        /// It has to be replaced, whatever the settings are.
        case outdated
    }

    // MARK: Registrations

    /// There are never more unfinished opt-ins than this; older ones were abandoned.
    private static let maximumRegistrations = 16

    /// Notes that the client's record has to be created.
    package mutating func addRegistration(of clientId: String) {
        guard !registrations.contains(clientId) else { return }
        registrations.append(clientId)
        registrations.removeFirst(max(0, registrations.count - Self.maximumRegistrations))
    }

    /// Removes the registration: the client's record exists or is no longer needed.
    package mutating func removeRegistration(of clientId: String) { registrations.removeAll { $0 == clientId } }

    // MARK: Deletions

    /// Adds a deletion, merged with those of the same client: at most one of the whole client, one of its sessions and one of its
    /// scenarios remain.
    package mutating func add(_ deletion: Deletion) {
        var merged = deletion
        deletions.removeAll { known in
            guard known.clientId == deletion.clientId else { return false }
            // Deleting the whole client includes its earlier sessions. Later sessions belong to a client that opted in again.
            guard known.sessionEnd == nil || deletion.sessionEnd != nil else { return true }
            guard (known.sessionEnd == nil) == (deletion.sessionEnd == nil) else { return false }
            guard known.scenariosOnly == deletion.scenariosOnly else {
                // If it were merged with an earlier deletion of events, a session that keeps its events would lose them.
                return known.scenariosOnly && !deletion.eventsOnly
            }
            merged.merge(known)
            return true
        }
        deletions.append(merged)
    }

    /// The client opted in again: earlier deletions do not end the new consent.
    package mutating func keepConsent(of clientId: String) {
        for index in deletions.indices where deletions[index].clientId == clientId { deletions[index].endsConsent = nil }
    }

    /// A deletion that was started and may be incomplete.
    package struct Deletion: Sendable, Hashable {
        /// The client whose data is deleted.
        package var clientId: String
        /// The end of the session whose scenarios and events are deleted; nil to delete all of the client's data.
        package var sessionEnd: Date?
        /// The command that requested the deletion. It is not deleted, because it still has to be marked as executed.
        package var command: TelemetryRecord.ID?
        /// Whether the session continues and only its events up to ``sessionEnd`` are deleted.
        package var eventsOnly: Bool
        /// Whether only the scenarios of the ended session are deleted and its events are kept.
        package var scenariosOnly: Bool
        /// The ended sessions whose events may be in the store. These are deleted whatever their dates, because the clock may
        /// have been set back.
        package var sessions: [String]
        /// When the deletion was made, if the store's queries may have missed something: it is repeated later.
        package var doneAt: Date?
        /// The number of opt-outs before this deletion ended the client's consent; nil if it did not. While the
        /// settings have this client and this number, they still have to be changed.
        package var endsConsent: Int?
        /// Whether the deletion is cancelled if the settings have this client again.
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

        /// Adds the contents of an earlier deletion of the same kind for the same client.
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
