import TelemetryModels
import TelemetryPersistence

/// Settings stores: the library's own, and a host's.
enum Keeping: String, CaseIterable, Sendable {
    case everything, onlyThreeFields

    var store: any TelemetrySettingsStoring {
        switch self {
        case .everything: InMemoryTelemetrySettingsStore()
        case .onlyThreeFields: ThreeFieldsStore()
        }
    }
}

/// Stores only the fields of the earliest settings format.
actor ThreeFieldsStore: TelemetrySettingsStoring {
    private var fields: (Bool, Bool, String?) = (false, false, nil)

    func load() async -> TelemetrySettings {
        TelemetrySettings(telemetryRequested: fields.0, telemetrySendingEnabled: fields.1, clientIdentifier: fields.2)
    }

    func save(_ settings: TelemetrySettings) async -> TelemetrySettings {
        fields = (settings.telemetryRequested, settings.telemetrySendingEnabled, settings.clientIdentifier)
        return await load()
    }

    func update(_ transform: @Sendable (inout TelemetrySettings) -> Void) async -> TelemetrySettings {
        var settings = TelemetrySettings(
            telemetryRequested: fields.0, telemetrySendingEnabled: fields.1, clientIdentifier: fields.2)
        transform(&settings)
        return await save(settings)
    }

    func reset() async -> TelemetrySettings { await save(.defaults) }
}
