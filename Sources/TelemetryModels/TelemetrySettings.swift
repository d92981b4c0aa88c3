/// What a client remembers across restarts: consent, approval, identity.
public struct TelemetrySettings: Sendable {
    /// Whether the person who uses the app asked for telemetry.
    public var telemetryRequested: Bool
    /// Whether events are sent: requested, and approved by the viewer.
    public var telemetrySendingEnabled: Bool
    /// Who the client is to the viewer; nil until telemetry is requested for the first time.
    public var clientIdentifier: String?
    /// What is still to be done at the store. Bookkeeping of the lifecycle service: it is saved with the settings, and two
    /// settings that differ in nothing else are equal.
    public var obligations = TelemetryObligations()
    /// How many times the person has opted out. What was decided while it was another number was decided before an opt-out.
    /// It does not count where settings are compared.
    package var optOuts = 0

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
}

extension TelemetrySettings: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.telemetryRequested == rhs.telemetryRequested && lhs.telemetrySendingEnabled == rhs.telemetrySendingEnabled
            && lhs.clientIdentifier == rhs.clientIdentifier
    }
}

extension TelemetrySettings: Codable {
    /// The names under which every store keeps the fields.
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case telemetryRequested
        case telemetrySendingEnabled
        case clientIdentifier
        case obligations
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
        obligations = try container.decodeIfPresent(TelemetryObligations.self, forKey: .obligations) ?? .init()
        optOuts = try container.decodeIfPresent(Int.self, forKey: .optOuts) ?? 0
    }

    /// Writes the obligations and the number of opt-outs only where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(telemetryRequested, forKey: .telemetryRequested)
        try container.encode(telemetrySendingEnabled, forKey: .telemetrySendingEnabled)
        try container.encodeIfPresent(clientIdentifier, forKey: .clientIdentifier)
        if !obligations.isEmpty { try container.encode(obligations, forKey: .obligations) }
        if optOuts != 0 { try container.encode(optOuts, forKey: .optOuts) }
    }
}
