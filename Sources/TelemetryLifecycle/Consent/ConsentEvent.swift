import TelemetryModels
import TelemetryPersistence

/// What changes where consent stands.
enum ConsentEvent: Sendable, Equatable {
    // MARK: The user

    /// The user opted in. The client is that of the settings, or a new one.
    case optedIn(client: String)
    /// The user opted out.
    /// - Parameter used: The client whose data this process may have stored.
    case optedOut(used: String?)
    /// An opt-out is recorded: in the settings if the argument is nil, otherwise elsewhere.
    case optOutRecorded(ConsentState.OptOut?)
    /// A backup was found: its settings and pending work.
    case restored(StoredConsent)

    // MARK: The viewer

    /// The client's record is enabled.
    case approved(client: String)
    /// The client's record is not enabled yet.
    case notApproved(client: String)
    /// The client's record is no longer enabled, or the viewer's command disables the client.
    case revoked(client: String, command: TelemetryRecord.ID?)
    /// The client's record was deleted.
    case removed(client: String)

    // MARK: The user's and the viewer's pauses

    /// Those who pause now; empty if nobody does.
    case paused(by: TelemetryPause)

    // MARK: This process

    /// A client was chosen for telemetry that is requested without one.
    case identified(client: String)
    /// The process begins to store data of the client.
    case used(client: String)
    /// The client's record exists.
    case registered(client: String)
    /// The store cannot be reached: the stored approval counts.
    case unreachable
    /// Telemetry is not requested at the start or at a reconciliation.
    case foundOff
    /// The logger found that the stored consent has ended.
    case foundEnded
    /// Another process of the app has ended the consent of the client that this one used, or has replaced the client.
    case departed(client: String)
    /// The deletion was made, or is not needed.
    case deleted(TelemetryPendingWork.Deletion)

    /// Whether the event changes what is stored.
    var isStored: Bool {
        switch self {
        case .optedIn, .optedOut, .restored, .approved, .notApproved, .revoked, .removed, .identified, .registered, .departed,
            .deleted:
            true
        case .optOutRecorded, .paused, .used, .unreachable, .foundOff, .foundEnded: false
        }
    }
}
