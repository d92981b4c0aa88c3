import TelemetryModels
import TelemetryPersistence

/// What is stored of the consent: the settings and the pending work.
///
/// They are kept in two stores. A change of both changes the pending work first. A process that is killed in between leaves
/// - at an opt-out, a deletion that ends the consent of a client whose settings still have it: ``complete()`` finds it.
/// - at an opt-in, the registration of a client that the settings do not have, which has no effect.
struct StoredConsent: Sendable, Equatable {
    var document: SettingsDocument
    var work: TelemetryPendingWork

    init(_ document: SettingsDocument = SettingsDocument(), work: TelemetryPendingWork = TelemetryPendingWork()) {
        self.document = document
        self.work = work
    }

    var settings: TelemetrySettings {
        get { document.settings }
        set { document.settings = newValue }
    }

    /// Handles an event: the stored part of ``ConsentState/handle(_:)``.
    mutating func handle(_ event: ConsentEvent) {
        complete()
        switch event {
        case .optedIn(let client): optIn(settings.clientIdentifier ?? client)
        case .optedOut(let used):
            optOut()
            if let used { addDeletion(of: used) }
        case .restored(let backup): if !settings.telemetryRequested, !needsBackup { restore(backup) }
        case .approved(let client): if isCurrent(client) { settings.telemetrySendingEnabled = true }
        case .notApproved(let client): if isCurrent(client) { settings.telemetrySendingEnabled = false }
        case .revoked(let client, let command):
            if settings.clientIdentifier == client {
                withdraw(command: command)
            } else {
                addDeletion(of: client, command: command)
            }
        case .removed(let client): if settings.clientIdentifier == client { discardConsent() }
        case .identified(let client): if settings.telemetryRequested, settings.clientIdentifier == nil { optIn(client) }
        case .registered(let client): removeRegistration(of: client)
        case .departed(let client): if settings.clientIdentifier != client { addDeletion(of: client) }
        case .deleted(let deletion):
            work.deletions.removeAll { $0 == deletion }
            document.embeddedWork.deletions.removeAll { $0 == deletion }
        case .optOutRecorded, .paused, .used, .unreachable, .foundOff, .foundEnded: break
        }
        if !settings.telemetryRequested { settings.telemetrySendingEnabled = false }
    }

    /// Whether telemetry is requested as this client.
    func isCurrent(_ client: String) -> Bool { settings.telemetryRequested && settings.clientIdentifier == client }

    // MARK: Consent

    /// Opts in as this client.
    private mutating func optIn(_ clientId: String) {
        settings.telemetryRequested = true
        settings.clientIdentifier = clientId
        // Until the record is known to exist, a missing record was never created.
        work.addRegistration(of: clientId)
        work.keepConsent(of: clientId)
    }

    /// Opts out: resets the settings and adds the deletion of the client's data.
    mutating func optOut() {
        withdraw()
        document.optOuts &+= 1
    }

    /// Ends the consent for the user or a viewer: resets the settings and adds the deletion of the client's data.
    /// - Parameter command: The viewer's command that requested it.
    private mutating func withdraw(command: TelemetryRecord.ID? = nil) {
        let clientId = settings.clientIdentifier
        discardConsent()
        if let clientId { work.add(.init(clientId: clientId, command: command, endsConsent: document.optOuts)) }
    }

    /// Resets the settings; pending deletions are kept.
    private mutating func discardConsent() {
        if let clientId = settings.clientIdentifier { removeRegistration(of: clientId) }
        settings = .defaults
    }

    private mutating func removeRegistration(of clientId: String) {
        work.removeRegistration(of: clientId)
        document.embeddedWork.removeRegistration(of: clientId)
    }

    /// Adds the deletion of all of the client's data in the store, even if an earlier one was made.
    private mutating func addDeletion(of clientId: String, command: TelemetryRecord.ID? = nil) {
        work.add(.init(clientId: clientId, command: command))
    }

    /// Whether the consent has ended but the settings were not changed yet: a process was killed in between, or is still working.
    var hasUnfinishedOptOut: Bool {
        work.deletions.contains {
            $0.endsConsent == document.optOuts && $0.sessionEnd == nil && $0.clientId == settings.clientIdentifier
        }
    }

    /// Completes an opt-out that is recorded only in the pending work.
    mutating func complete() { if hasUnfinishedOptOut { optOut() } }

    /// Called when the settings are stored: deletions of clients that the settings do not have no longer end a consent.
    mutating func closeEndedConsents() {
        for deletion in work.deletions where deletion.clientId != settings.clientIdentifier {
            work.keepConsent(of: deletion.clientId)
        }
    }

    // MARK: Pending work

    /// Whether the client's record still has to be created.
    func needsRegistration(of clientId: String) -> Bool { work.registrations.contains(clientId) }

    /// Whether the backup differs from the settings.
    var needsBackup: Bool {
        switch work.backup {
        case .unknown: false
        case .holds(let backedUp): backedUp != settings
        case .outdated: true
        }
    }

    /// Notes that the backup has to be updated to the settings.
    /// - Parameter previous: The settings before the change, which the backup is assumed to hold.
    mutating func noteBackup(of previous: TelemetrySettings) {
        guard settings != previous else { return }
        if work.backup == .unknown { work.backup = .holds(previous) }
        // An ended consent must not be restored from a backup, even from one that this installation did not make.
        if !settings.telemetryRequested { work.backup = .outdated }
    }

    /// Restores a backup, as after a reinstallation: its deletions are still to be made, but the data of its client is kept.
    private mutating func restore(_ backup: StoredConsent) {
        guard backup.settings.telemetryRequested, let clientId = backup.settings.clientIdentifier else {
            for deletion in backup.work.deletions { work.add(deletion) }
            return
        }
        settings = backup.settings
        document.embeddedWork.deletions.removeAll { $0.clientId == clientId && $0.sessionEnd == nil }
        if backup.work.registrations.contains(clientId) { work.addRegistration(of: clientId) }
        for deletion in backup.work.deletions where deletion.clientId != clientId || deletion.sessionEnd != nil {
            work.add(deletion)
        }
        work.keepConsent(of: clientId)
        for index in work.deletions.indices
        where work.deletions[index].clientId == clientId && work.deletions[index].sessionEnd == nil {
            work.deletions[index].endsOnReturn = true
        }
    }

    /// The pending work of a backup, for a new installation.
    var backedUpWork: TelemetryPendingWork {
        TelemetryPendingWork(
            registrations: work.registrations.filter { $0 == settings.clientIdentifier }, deletions: work.deletions)
    }
}
