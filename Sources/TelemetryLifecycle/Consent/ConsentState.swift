import TelemetryModels
import TelemetryPersistence

/// Where consent stands: the one value that decides whether events are recorded and sent, and what is to be deleted.
///
/// ``handle(_:)`` is the table of transitions; `CommandsAndConsent.md` shows it for every event and standing. One part is stored
/// and shared by the processes of an app. The other part is known to this process only and begins anew with it.
///
/// An opt-out takes effect in the call itself: ``optOut`` closes the gate, whatever is stored. If the settings cannot be written, it
/// stays there: in a marker, which all processes of the app check before they deliver events, or in the memory of this process.
struct ConsentState: Sendable, Equatable {
    /// The standings, of which exactly one applies.
    enum Standing: String, Sendable, CaseIterable {
        /// The user was never asked, or nothing of the client is left.
        case off
        /// The user opted in, and the viewer has not approved the client.
        case requested
        /// The user opted in, and the viewer approved the client.
        case approved
        /// As ``requested`` or ``approved``, and the host or the viewer pauses.
        case paused
        /// The user opted out, and the settings do not contain it yet: they are ignored.
        case withdrawn
        /// Consent has ended, and data of the client is still to be deleted.
        case leaving
    }

    /// An opt-out that the settings do not contain.
    enum OptOut: Sendable, CaseIterable {
        /// It is being recorded.
        case pending
        /// The settings cannot be written. It is recorded by a file in the directory of the events that wait.
        case marked
        /// Nothing can be written. It is kept in memory.
        case unrecorded
    }

    // MARK: Stored

    private(set) var stored = StoredConsent()

    // MARK: Known to this process

    /// The opt-out that the settings do not contain; nil if there is none.
    private(set) var optOut: OptOut?
    /// The client whose data this process may have stored, until that data is deleted or its deletion is pending.
    private(set) var used: String?
    /// The client whose approval was confirmed since the process began, or assumed because the store cannot be reached.
    private(set) var confirmed: String?
    /// Whether nothing has been decided since the process began, so that the logger holds events back.
    private(set) var isUndecided = true
    /// Who pauses telemetry.
    private(set) var pause: TelemetryPause = []

    var settings: TelemetrySettings { stored.settings }

    var standing: Standing {
        if optOut != nil || stored.hasUnfinishedOptOut { return .withdrawn }
        guard settings.telemetryRequested else {
            return stored.work.deletions.contains { $0.sessionEnd == nil } ? .leaving : .off
        }
        guard pause.isEmpty else { return .paused }
        return settings.telemetrySendingEnabled ? .approved : .requested
    }

    /// Whether the stored settings are ignored, because they did not accept an opt-out.
    var isHeldOff: Bool { optOut == .marked || optOut == .unrecorded }

    // MARK: The gate

    /// Whether events are recorded.
    enum Gate: Sendable, Equatable {
        /// Undecided: events are held.
        case held
        /// - Parameter client: The client, if telemetry is requested.
        case closed(client: String?)
        case open(client: String)
    }

    /// Whether events are recorded while nobody pauses.
    var gate: Gate {
        guard !isUndecided else { return .held }
        switch standing {
        case .off, .withdrawn, .leaving: return .closed(client: nil)
        case .requested, .approved, .paused:
            guard let client = settings.clientIdentifier, settings.telemetrySendingEnabled, confirmed == client else {
                return .closed(client: settings.clientIdentifier)
            }
            return .open(client: client)
        }
    }

    var isOpen: Bool { if case .open = gate { true } else { false } }

    // MARK: Transitions

    /// Handles an event: what is stored, and what this process knows.
    mutating func handle(_ event: ConsentEvent) {
        let previous = stored
        stored.handle(event)
        handleHere(event, since: previous)
    }

    /// Replaces the stored part by what the stores contain, which another process may have changed.
    mutating func read(_ stored: StoredConsent) { self.stored = stored }

    /// Handles an event in the part that this process knows; ``StoredConsent/handle(_:)`` handles it in the stores.
    /// - Parameter previous: What was stored before the event.
    mutating func handleHere(_ event: ConsentEvent, since previous: StoredConsent) {
        switch event {
        case .optedIn:
            guard settings.telemetryRequested else { return }
            optOut = nil
            // Events that were logged before must not be sent, even if the viewer approved the client earlier.
            if !previous.settings.telemetryRequested { close() }
        case .restored: if settings.telemetryRequested { optOut = nil }
        case .optedOut:
            optOut = .pending
            close()
        case .optOutRecorded(let location):
            optOut = location
            if location != nil { close() }
        case .approved(let client):
            guard optOut == nil, stored.isCurrent(client) else { return close() }
            isUndecided = false
            confirmed = client
        case .unreachable:
            isUndecided = false
            confirmed = optOut == nil && settings.telemetrySendingEnabled ? settings.clientIdentifier : nil
        case .notApproved, .foundOff: close()
        case .revoked(let client, _), .departed(let client):
            close()
            if used == client, settings.clientIdentifier != client { used = nil }
        case .removed(let client):
            close()
            // Another process that ended the consent does not know what this one stored.
            if used == client, previous.settings.clientIdentifier == client { used = nil }
        case .foundEnded: confirmed = nil
        case .used(let client): used = client
        case .paused(let pause): self.pause = settings.telemetryRequested ? pause : []
        case .identified, .registered, .deleted: break
        }
    }

    private mutating func close() {
        isUndecided = false
        confirmed = nil
    }
}
