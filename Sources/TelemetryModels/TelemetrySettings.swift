/// A client's consent, approval and identifier, kept across restarts.
public struct TelemetrySettings: Sendable, Hashable {
    /// Whether the user requested telemetry.
    public var telemetryRequested: Bool
    /// Whether events are sent: telemetry is requested and the viewer approved it.
    public var telemetrySendingEnabled: Bool
    /// The client's identifier, which viewers see; nil until telemetry is requested for the first time.
    public var clientIdentifier: String?

    /// Creates settings; without arguments, those of a user who never requested telemetry.
    public init(
        telemetryRequested: Bool = false, telemetrySendingEnabled: Bool = false, clientIdentifier: String? = nil
    ) {
        self.telemetryRequested = telemetryRequested
        self.telemetrySendingEnabled = telemetrySendingEnabled
        self.clientIdentifier = clientIdentifier
    }

    /// Telemetry not requested, nothing sent, no identifier.
    public static let defaults = TelemetrySettings()
}

extension TelemetrySettings: Codable {
    /// The fields' names in every store.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case telemetryRequested
        case telemetrySendingEnabled
        case clientIdentifier
    }

    /// A missing field has its default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let defaults = Self.defaults
        self.init(
            telemetryRequested: try container.decodeIfPresent(Bool.self, forKey: .telemetryRequested)
                ?? defaults.telemetryRequested,
            telemetrySendingEnabled: try container.decodeIfPresent(Bool.self, forKey: .telemetrySendingEnabled)
                ?? defaults.telemetrySendingEnabled,
            clientIdentifier: try container.decodeIfPresent(String.self, forKey: .clientIdentifier))
    }
}
