import TelemetryModels

/// The schema as rows: every record type with its fields.
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
            name: TelemetrySchema.settingsBackupRecordType,
            fields: TelemetrySchema.SettingsBackupField.allCases.map {
                .init(name: $0.rawValue, type: $0.fieldTypeDescription, isIndexed: $0.isIndexed)
            }),
    ]

    /// CloudKit's schema language, for `cktool import-schema`.
    public static var cloudKit: String {
        var lines = ["DEFINE SCHEMA", ""]
        for recordType in recordTypes {
            lines.append("    RECORD TYPE \(recordType.name) (")
            lines.append("        \"___createTime\" TIMESTAMP QUERYABLE SORTABLE,")
            lines.append("        \"___recordID\"   REFERENCE QUERYABLE,")
            for field in recordType.fields {
                let index = field.isIndexed ? " QUERYABLE SORTABLE\(field.cloudKitType == "STRING" ? " SEARCHABLE" : "")" : ""
                lines.append("        \(field.name) \(field.cloudKitType)\(index),")
            }
            lines += [
                "        GRANT WRITE TO \"_creator\",", "        GRANT CREATE TO \"_icloud\",",
                "        GRANT READ TO \"_world\"", "    );", "",
            ]
        }
        return lines.joined(separator: "\n")
    }
}

extension SchemaListing.Field {
    fileprivate var cloudKitType: String {
        switch type {
        case "Date/Time": "TIMESTAMP"
        case "String": "STRING"
        default: "INT64"
        }
    }
}
