import TelemetryModels
import TelemetryPersistence

/// What this device knows: the settings, and the work that is pending.
///
/// They are kept in two stores, and whoever changes both changes the pending work first. A process killed in between leaves
/// - at an opt-out, a deletion that ends the consent of a client whose settings still say that it holds: ``complete()`` finds it.
/// - at an opt-in, the registration of a client that the settings do not have, which has no effect.
struct LocalState: Sendable, Equatable {
    typealias Transform = @Sendable (inout LocalState) -> Void

    var settings = TelemetrySettings.defaults
    var work = TelemetryPendingWork()

    // MARK: Consent

    /// The person asks for telemetry as this client.
    mutating func optIn(_ clientId: String) {
        settings.telemetryRequested = true
        settings.clientIdentifier = clientId
        // Until the record is known to exist, its absence means that it was never created.
        work.addRegistration(of: clientId)
        work.keepConsent(of: clientId)
    }

    /// The person opts out: back to the defaults; what the client has at the store is to be deleted.
    mutating func optOut() {
        withdraw()
        settings.optOuts &+= 1
    }

    /// Ends the consent, whoever ended it: back to the defaults; what the client has at the store is to be deleted.
    /// - Parameter command: The viewer's command that asked for it.
    mutating func withdraw(command: TelemetryRecord.ID? = nil) {
        let clientId = settings.clientIdentifier
        let optOuts = settings.optOuts
        discardConsent()
        if let clientId { work.add(.init(clientId: clientId, command: command, endsConsent: optOuts)) }
    }

    /// Back to the defaults; pending deletions stay.
    mutating func discardConsent() {
        if let clientId = settings.clientIdentifier { work.removeRegistration(of: clientId) }
        settings.discardConsent()
    }

    /// From now on everything that the client has at the store is to be deleted, also where that was done before.
    mutating func addDeletion(of clientId: String, command: TelemetryRecord.ID? = nil) {
        work.add(.init(clientId: clientId, command: command))
    }

    /// Whether the consent has ended, although the settings do not say so yet: a process was killed on the way, or is on it.
    var hasUnfinishedOptOut: Bool {
        work.deletions.contains {
            $0.endsConsent == settings.optOuts && $0.sessionEnd == nil && $0.clientId == settings.clientIdentifier
        }
    }

    /// Completes an opt-out that is recorded in the pending work alone.
    mutating func complete() { if hasUnfinishedOptOut { optOut() } }

    /// The settings are stored: deletions of clients that they do not have end no consent any more.
    mutating func closeEndedConsents() {
        for deletion in work.deletions where deletion.clientId != settings.clientIdentifier {
            work.keepConsent(of: deletion.clientId)
        }
    }

    // MARK: Pending work

    /// Whether the client's record is still to be created.
    func needsRegistration(of clientId: String) -> Bool { work.registrations.contains(clientId) }

    /// The client's record exists.
    mutating func completeRegistration(of clientId: String) {
        work.removeRegistration(of: clientId)
        settings.embeddedWork.removeRegistration(of: clientId)
    }

    /// Whether the backup holds other settings.
    var needsBackup: Bool {
        switch work.backup {
        case .unknown: false
        case .holds(let backedUp): backedUp != settings
        case .outdated: true
        }
    }

    /// Remembers that the backup is to follow the settings.
    /// - Parameter previous: The settings before they were changed, which the backup is taken to hold.
    mutating func noteBackup(of previous: TelemetrySettings) {
        guard settings != previous else { return }
        if work.backup == .unknown { work.backup = .holds(previous.fieldsAlone) }
        // A consent that has ended must not come back from a backup, even if that was never made by this installation.
        if !settings.telemetryRequested { work.backup = .outdated }
    }

    /// Takes over what a backup held. The person came back: what the client has at the store is kept.
    mutating func restore(_ backup: TelemetrySettings) {
        settings.telemetryRequested = backup.telemetryRequested
        settings.telemetrySendingEnabled = backup.telemetrySendingEnabled
        settings.clientIdentifier = backup.clientIdentifier
        guard let clientId = backup.clientIdentifier else { return }
        if backup.embeddedWork.registrations.contains(clientId) { work.addRegistration(of: clientId) }
        for deletion in backup.embeddedWork.deletions where deletion.clientId != clientId || deletion.sessionEnd != nil {
            work.add(deletion)
        }
        work.keepConsent(of: clientId)
        for index in work.deletions.indices
        where work.deletions[index].clientId == clientId && work.deletions[index].sessionEnd == nil {
            work.deletions[index].endsOnReturn = true
        }
    }

    /// What a backup is to hold: the settings and, for an installation that has nothing else, the deletions that are pending.
    var backedUp: TelemetrySettings {
        var copy = settings
        copy.embeddedWork = TelemetryPendingWork(
            registrations: work.registrations.filter { $0 == settings.clientIdentifier }, deletions: work.deletions)
        return copy
    }
}
