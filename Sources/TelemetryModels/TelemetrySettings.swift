/// What a client remembers across restarts: consent, approval, identity.
public struct TelemetrySettings: Sendable {
    /// Whether the person who uses the app asked for telemetry.
    public var telemetryRequested: Bool
    /// Whether events are sent: requested, and approved by the viewer.
    public var telemetrySendingEnabled: Bool
    /// Who the client is to the viewer; nil until telemetry is requested for the first time.
    public var clientIdentifier: String?
    /// How many times the person has opted out. What was decided while it was another number was decided before an opt-out.
    /// It does not count where settings are compared.
    package var optOuts = 0
    /// Pending work inside the settings' stored form, for the lifecycle service to move to the store of pending work: what version
    /// 1 stored there, and what a settings store adds where it completes an opt-out by itself. It does not count where settings
    /// are compared.
    package var embeddedWork = TelemetryPendingWork()

    /// Creates settings; without arguments, those of somebody who never asked for telemetry.
    public init(
        telemetryRequested: Bool = false, telemetrySendingEnabled: Bool = false, clientIdentifier: String? = nil
    ) {
        self.telemetryRequested = telemetryRequested
        self.telemetrySendingEnabled = telemetrySendingEnabled
        self.clientIdentifier = clientIdentifier
    }

    /// Nothing requested, nothing sent, no identity.
    public static let defaults = TelemetrySettings()

    /// The three public fields, without anything else.
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
    /// The names under which every store keeps the fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case telemetryRequested
        case telemetrySendingEnabled
        case clientIdentifier
        /// As version 1 named it, which may run beside this one.
        case embeddedWork = "obligations"
        case optOuts
    }

    /// A field that is missing, as in settings that an earlier version stored, has its default.
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
            try container.decodeIfPresent(Version1PendingWork.self, forKey: .embeddedWork)?.work(ofClient: clientIdentifier)
            ?? TelemetryPendingWork()
        optOuts = try container.decodeIfPresent(Int.self, forKey: .optOuts) ?? 0
    }

    /// Writes pending work and the number of opt-outs only where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(telemetryRequested, forKey: .telemetryRequested)
        try container.encode(telemetrySendingEnabled, forKey: .telemetrySendingEnabled)
        try container.encodeIfPresent(clientIdentifier, forKey: .clientIdentifier)
        if !embeddedWork.isEmpty {
            try container.encode(
                Version1PendingWork(embeddedWork, clientId: clientIdentifier), forKey: .embeddedWork)
        }
        if optOuts != 0 { try container.encode(optOuts, forKey: .optOuts) }
    }
}
