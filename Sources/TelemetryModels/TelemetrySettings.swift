/// A client's consent, approval and identifier, kept across restarts.
public struct TelemetrySettings: Sendable {
    /// Whether the user requested telemetry.
    public var telemetryRequested: Bool
    /// Whether events are sent: telemetry is requested and the viewer approved it.
    public var telemetrySendingEnabled: Bool
    /// The client's identifier, which viewers see; nil until telemetry is requested for the first time.
    public var clientIdentifier: String?
    /// The number of opt-outs. A decision made at a lower number was made before an opt-out. Ignored by `==`.
    package var optOuts = 0
    /// Pending work that could only be stored here: of an opt-out that the settings store completed itself, or that the store of
    /// pending work could not write. The lifecycle service moves it there. Ignored by `==`.
    package var embeddedWork = TelemetryPendingWork()

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

    /// The settings with the three public fields only.
    package var fieldsAlone: TelemetrySettings {
        TelemetrySettings(
            telemetryRequested: telemetryRequested, telemetrySendingEnabled: telemetrySendingEnabled,
            clientIdentifier: clientIdentifier)
    }
}

extension TelemetrySettings: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.telemetryRequested == rhs.telemetryRequested && lhs.telemetrySendingEnabled == rhs.telemetrySendingEnabled
            && lhs.clientIdentifier == rhs.clientIdentifier
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(telemetryRequested)
        hasher.combine(telemetrySendingEnabled)
        hasher.combine(clientIdentifier)
    }
}

extension TelemetrySettings: Codable {
    /// The fields' names in every store.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case telemetryRequested
        case telemetrySendingEnabled
        case clientIdentifier
        case embeddedWork
        case optOuts
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
        embeddedWork =
            try container.decodeIfPresent(TelemetryPendingWork.self, forKey: .embeddedWork) ?? TelemetryPendingWork()
        optOuts = try container.decodeIfPresent(Int.self, forKey: .optOuts) ?? 0
    }

    /// Writes pending work and the number of opt-outs only if there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(telemetryRequested, forKey: .telemetryRequested)
        try container.encode(telemetrySendingEnabled, forKey: .telemetrySendingEnabled)
        try container.encodeIfPresent(clientIdentifier, forKey: .clientIdentifier)
        if !embeddedWork.isEmpty { try container.encode(embeddedWork, forKey: .embeddedWork) }
        if optOuts != 0 { try container.encode(optOuts, forKey: .optOuts) }
    }
}
