package import TelemetryModels

/// The settings and what is stored beside them, which are replaced in one atomic change.
///
/// The stored form is one object: the settings' fields and, unless they are empty, `optOuts` and `embeddedWork`.
package struct SettingsDocument: Sendable, Equatable {
    package var settings: TelemetrySettings
    /// The number of opt-outs. A decision made at a lower number was made before an opt-out.
    package var optOuts: Int
    /// Pending work that could only be stored here: of an opt-out that this store completed itself, or that the store of pending work
    /// could not write. The lifecycle service moves it to that store.
    package var embeddedWork: TelemetryPendingWork

    package init(
        settings: TelemetrySettings = .defaults, optOuts: Int = 0, embeddedWork: TelemetryPendingWork = TelemetryPendingWork()
    ) {
        self.settings = settings
        self.optOuts = optOuts
        self.embeddedWork = embeddedWork
    }

    /// Completes an opt-out that could not be written before. The store has no access to the pending work: the deletion of the
    /// client's data is embedded.
    package mutating func optOut() {
        optOuts &+= 1
        withdraw()
    }

    /// Ends the consent, and embeds the deletion of the client's data.
    package mutating func withdraw() {
        let clientId = settings.clientIdentifier
        settings = .defaults
        if let clientId { embeddedWork.add(.init(clientId: clientId)) }
    }
}

extension SettingsDocument: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case optOuts, embeddedWork }

    /// The names of all members, in every store.
    static let keys = TelemetrySettings.CodingKeys.allCases.map(\.rawValue) + CodingKeys.allCases.map(\.rawValue)

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            settings: try TelemetrySettings(from: decoder),
            optOuts: try container.decodeIfPresent(Int.self, forKey: .optOuts) ?? 0,
            embeddedWork: try container.decodeIfPresent(TelemetryPendingWork.self, forKey: .embeddedWork)
                ?? TelemetryPendingWork())
    }

    package func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        if optOuts != 0 { try container.encode(optOuts, forKey: .optOuts) }
        if !embeddedWork.isEmpty { try container.encode(embeddedWork, forKey: .embeddedWork) }
    }
}
