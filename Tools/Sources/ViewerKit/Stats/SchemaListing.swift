import TelemetryModels

/// The schema as rows: all record types with their fields.
public struct SchemaListing: Sendable {
    public struct Field: Sendable, Codable, Equatable {
        public let name: String
        public let type: String
        public let isIndexed: Bool
    }

    public struct RecordType: Sendable, Codable, Equatable {
        public let name: String
        public let fields: [Field]
    }

    public static let recordTypes: [RecordType] = [
        RecordType(
            name: TelemetrySchema.recordType,
            fields: TelemetrySchema.Field.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
        RecordType(
            name: TelemetrySchema.clientRecordType,
            fields: TelemetrySchema.ClientField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
        RecordType(
            name: TelemetrySchema.commandRecordType,
            fields: TelemetrySchema.CommandField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
        RecordType(
            name: TelemetrySchema.scenarioRecordType,
            fields: TelemetrySchema.ScenarioField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
        RecordType(
            name: TelemetrySchema.ruleRecordType,
            fields: TelemetrySchema.RuleField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
        RecordType(
            name: TelemetrySchema.settingsBackupRecordType,
            fields: TelemetrySchema.SettingsBackupField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
    ]
}
