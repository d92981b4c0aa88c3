import TelemetryModels
import TelemetryPersistence

/// Where consent stands: the one value that decides whether events are recorded and sent, and what is to be deleted.
///
/// ``handle(_:)`` is the table of transitions; `CommandsAndConsent.md` shows it for every event and standing. One part is stored
/// and shared by the processes of an app. The other part is known to this process only and begins anew with it.
///
/// An opt-out takes effect in the call itself: ``refusal`` closes the gate, whatever is stored. Where the settings cannot be written, it
/// stays: in a marker, or as long as this process lives. All processes look for the marker before they deliver events.
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
        /// The user opted out, and the settings do not have it yet: what they say is ignored.
        case withdrawn
        /// Consent has ended, and data of the client is still to be deleted.
        case leaving
    }

    /// Where an opt-out is on record.
    enum Place: Sendable, CaseIterable {
        case settings
        /// A file beside the events that wait, because the settings could not be written.
        case marker
        /// Nowhere else, because nothing could be written.
        case memory
    }

    /// An opt-out that the settings do not have.
    enum Refusal: Sendable, Equatable {
        /// It is being recorded.
        case pending
        /// It could not be recorded in the settings, whose contents are ignored.
        case recorded(Place)
    }

    // MARK: Stored

    private(set) var stored = StoredConsent()

    // MARK: Known to this process

    /// The opt-out that the settings do not have; nil if there is none.
    private(set) var refusal: Refusal?
    /// The client whose data this process may have stored, until the deletion of that data is pending.
    private(set) var used: String?
    /// The client whose approval was confirmed since the process began, or assumed because the store cannot be reached.
    private(set) var confirmed: String?
    /// Whether nothing has been decided since the process began, so that the logger holds events back.
    private(set) var isUndecided = true
    /// Who pauses telemetry.
    private(set) var pause: TelemetryPause = []

    var settings: TelemetrySettings { stored.settings }

    var standing: Standing {
        if refusal != nil || stored.hasUnfinishedOptOut { return .withdrawn }
        guard settings.telemetryRequested else {
            return stored.work.deletions.contains { $0.sessionEnd == nil } ? .leaving : .off
        }
        guard pause.isEmpty else { return .paused }
        return settings.telemetrySendingEnabled ? .approved : .requested
    }

    /// Whether the stored settings are ignored, because they did not accept an opt-out.
    var isHeldOff: Bool { if case .recorded = refusal { true } else { false } }

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
        guard refusal == nil, !stored.hasUnfinishedOptOut, settings.telemetryRequested, let client = settings.clientIdentifier
        else { return .closed(client: nil) }
        return settings.telemetrySendingEnabled && confirmed == client ? .open(client: client) : .closed(client: client)
    }

    var isOpen: Bool { if case .open = gate { true } else { false } }

    // MARK: Transitions

    /// Handles an event: what is stored, and what this process knows.
    mutating func handle(_ event: ConsentEvent) {
        let previous = stored
        stored.handle(event)
        note(event, since: previous)
    }

    /// Takes over what is stored, which another process may have changed.
    mutating func take(_ stored: StoredConsent) { self.stored = stored }

    /// Handles an event that ``StoredConsent/handle(_:)`` has handled in the stores.
    /// - Parameter previous: What was stored before.
    mutating func note(_ event: ConsentEvent, since previous: StoredConsent) {
        switch event {
        case .optedIn, .restored:
            guard settings.telemetryRequested else { return }
            refusal = nil
            // Events that were logged before must not be sent, even if the viewer approved the client earlier.
            if !previous.settings.telemetryRequested { close() }
        case .optedOut:
            refusal = .pending
            close()
        case .refusalRecorded(let place):
            if refusal != nil { refusal = place == .settings ? nil : .recorded(place) }
        case .approved(let client):
            guard stored.isCurrent(client) else { return close() }
            isUndecided = false
            confirmed = client
        case .unreachable:
            isUndecided = false
            confirmed = settings.telemetrySendingEnabled ? settings.clientIdentifier : nil
        case .notApproved, .foundOff: close()
        case .revoked(let client, _), .removed(let client), .departed(let client):
            close()
            if used == client, settings.clientIdentifier != client { used = nil }
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
