/// What a client remembers across restarts: consent, approval, identity.
public struct TelemetrySettings: Equatable, Sendable, Codable {
    /// Whether the person who uses the app asked for telemetry.
    public var telemetryRequested: Bool
    /// Whether events are sent: requested, and approved by the viewer.
    public var telemetrySendingEnabled: Bool
    /// Who the client is to the viewer; nil until telemetry is requested for the first time.
    public var clientIdentifier: String?

    public init(
        telemetryRequested: Bool = false, telemetrySendingEnabled: Bool = false, clientIdentifier: String? = nil
    ) {
        self.telemetryRequested = telemetryRequested
        self.telemetrySendingEnabled = telemetrySendingEnabled
        self.clientIdentifier = clientIdentifier
    }

    /// Nothing requested, nothing sent, no identity.
    public static let defaults = TelemetrySettings()
}
