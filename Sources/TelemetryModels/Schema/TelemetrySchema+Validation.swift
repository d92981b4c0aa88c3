extension TelemetrySchema {
    /// A way in which a record does not conform to the schema.
    public enum SchemaError: Error, Sendable, Equatable, CustomStringConvertible {
        /// The schema has no such record type.
        case unknownRecordType(record: String, recordType: String)
        /// The record lacks required fields. Sorted by name.
        case missingFields(record: String, recordType: String, fields: [String])
        /// A field holds a value of another type than the schema's.
        case wrongFieldType(record: String, recordType: String, field: String, expected: String)

        public var description: String {
            switch self {
            case .unknownRecordType(let record, let type):
                "Record \"\(record)\" is of type \"\(type)\", which is not in the schema."
            case .missingFields(let record, let type, let fields):
                "Record \"\(record)\" (\(type)) lacks \(fields.joined(separator: ", "))."
            case .wrongFieldType(let record, let type, let field, let expected):
                "Record \"\(record)\" (\(type)) holds a value in \"\(field)\" that is not of type \(expected)."
            }
        }
    }

    /// Returns every violation of the schema; empty if the record is valid. Unknown fields are allowed.
    public static func validate(_ record: TelemetryRecord) -> [SchemaError] {
        let name = record.recordID.recordName
        guard let rules = rules(for: record.recordType) else {
            return [.unknownRecordType(record: name, recordType: record.recordType)]
        }
        let missing = rules.required.filter { record[$0] == nil }.sorted()
        let wrong = rules.types.keys.sorted().compactMap { field -> SchemaError? in
            guard let expected = rules.types[field], let value = record[field], !holds(value, expected) else { return nil }
            return .wrongFieldType(record: name, recordType: record.recordType, field: field, expected: expected)
        }
        return
            (missing.isEmpty ? [] : [.missingFields(record: name, recordType: record.recordType, fields: missing)]) + wrong
    }

    /// Returns the violations of several records, in the records' order.
    public static func validate(_ records: [TelemetryRecord]) -> [SchemaError] {
        records.flatMap { validate($0) }
    }

    private static func holds(_ value: TelemetryValue, _ expected: String) -> Bool {
        switch expected {
        case FieldType.string: value.stringValue != nil
        case FieldType.date: value.dateValue != nil
        case FieldType.boolean, FieldType.flag: value.boolValue != nil
        case FieldType.int64: value.intValue != nil
        case FieldType.double: value.numberValue != nil
        default: false
        }
    }

    private struct Rules {
        let types: [String: String]
        let required: Set<String>
    }

    private static func rules(for recordType: String) -> Rules? {
        switch recordType {
        case self.recordType:
            return Rules(
                types: types(Field.allCases, \.fieldTypeDescription),
                required: names([Field.eventName, .sessionId, .eventTimestamp]))
        case clientRecordType:
            return Rules(
                types: types(ClientField.allCases, \.fieldTypeDescription),
                required: names([ClientField.clientId, .created, .isEnabled]))
        case commandRecordType:
            return Rules(
                types: types(CommandField.allCases, \.fieldTypeDescription),
                required: names([CommandField.commandId, .clientId, .action, .created, .status]))
        case scenarioRecordType:
            return Rules(
                types: types(ScenarioField.allCases, \.fieldTypeDescription),
                required: names([ScenarioField.clientId, .scenarioName, .isEnabled, .created]))
        case settingsBackupRecordType:
            return Rules(
                types: types(SettingsBackupField.allCases, \.fieldTypeDescription),
                required: names([SettingsBackupField.telemetryRequested, .telemetrySendingEnabled]))
        case ruleRecordType:
            return Rules(types: types(RuleField.allCases, \.fieldTypeDescription), required: [])
        default:
            return nil
        }
    }

    private static func types<F: RawRepresentable<String>>(_ fields: [F], _ type: (F) -> String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.rawValue, type($0)) })
    }

    private static func names(_ fields: [some RawRepresentable<String>]) -> Set<String> { Set(fields.map(\.rawValue)) }
}
