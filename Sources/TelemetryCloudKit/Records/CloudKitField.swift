package import TelemetryModels

/// The mapping of a record's fields to CloudKit's fields.
///
/// CloudKit's fields have types that are deployed in advance and names of letters, digits and underscores. The schema's fields
/// are stored as such; so is the client's identifier in a record of any type, which subscriptions need. All other fields of a
/// record are stored together as JSON text in one field, ``overflow``.
package enum CloudKitField {
    /// JSON text: the record's name if CloudKit's is a hash, and the fields without a CloudKit field.
    package static let overflow = "overflow"
    /// An event's append and its index in it; see ``CloudKitAppendIndex``.
    package static let appendIndex = "appendIndex"

    /// An event's exact time, as the bits of its seconds since the reference date, because CloudKit's dates are whole
    /// milliseconds.
    package static let exactTime = "exactTime"

    package enum Kind: Sendable {
        case string, int, double, bool, date

        init?(description: String) {
            switch description {
            case "String": self = .string
            case "Date/Time": self = .date
            case "Boolean": self = .bool
            case "Int64", "Int64 (0/1)": self = .int
            case "Double": self = .double
            default: return nil
            }
        }

        /// The type's name in a schema file; CloudKit has no Boolean type.
        package var schemaName: String {
            switch self {
            case .string: "STRING"
            case .date: "TIMESTAMP"
            case .int, .bool: "INT64"
            case .double: "DOUBLE"
            }
        }

        package func holds(_ value: TelemetryValue) -> Bool {
            switch self {
            case .string: value.stringValue != nil
            case .date: value.dateValue != nil
            case .bool: value.boolValue != nil
            case .int: value.intValue != nil
            // An integer is stored in the overflow, which keeps its type.
            case .double: value.doubleValue.map(\.isFinite) ?? false
            }
        }
    }

    /// The CloudKit kind of the field, or nil if it is stored in ``overflow``.
    package static func kind(of field: String, in recordType: String) -> Kind? {
        kinds[recordType]?[field] ?? (field == TelemetrySchema.ClientField.clientId.rawValue ? .string : nil)
    }

    /// Whether a query may include the field. The server refuses queries on fields without an index.
    package static func isIndexed(_ field: String, in recordType: String) -> Bool {
        guard let indexed = indexed[recordType] else { return kind(of: field, in: recordType) != nil }
        return indexed.contains(field)
    }

    private static let indexed: [String: Set<String>] = Dictionary(
        uniqueKeysWithValues: CloudKitSchemaFile.records.map { type in
            (type.name, Set(type.fields.filter(\.isIndexed).map(\.name)))
        })

    private static let kinds: [String: [String: Kind]] = [
        TelemetrySchema.recordType: kinds(TelemetrySchema.Field.allCases, \.fieldTypeDescription),
        TelemetrySchema.clientRecordType: kinds(TelemetrySchema.ClientField.allCases, \.fieldTypeDescription),
        TelemetrySchema.commandRecordType: kinds(TelemetrySchema.CommandField.allCases, \.fieldTypeDescription),
        CloudKitSchemaFile.receiptRecordType: kinds(TelemetrySchema.CommandField.allCases, \.fieldTypeDescription),
        TelemetrySchema.scenarioRecordType: kinds(TelemetrySchema.ScenarioField.allCases, \.fieldTypeDescription),
        TelemetrySchema.ruleRecordType: kinds(TelemetrySchema.RuleField.allCases, \.fieldTypeDescription),
        TelemetrySchema.settingsBackupRecordType: kinds(
            TelemetrySchema.SettingsBackupField.allCases, \.fieldTypeDescription),
    ]

    private static func kinds<Field: RawRepresentable<String>>(
        _ fields: [Field], _ description: (Field) -> String
    ) -> [String: Kind] {
        var kinds: [String: Kind] = [:]
        for field in fields { kinds[field.rawValue] = Kind(description: description(field)) }
        return kinds
    }
}

extension CloudKitField {
    /// Whether the field is internal to the transport.
    package static func isOwn(_ field: String) -> Bool { [overflow, appendIndex, exactTime].contains(field) }
}
