import TelemetryModels

/// The container's schema in CloudKit's schema language, generated from ``TelemetryModels/TelemetrySchema`` so that the two
/// always match.
///
/// Import it with `xcrun cktool import-schema`, then deploy it to production in the CloudKit console. The grammar is described
/// at <https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow>.
///
/// Permissions: every signed-in user may create events, clients, scenarios and receipts; only the creator and the viewer's role
/// may read or change them. Only the viewer's role may create and change commands and rules; every signed-in user may read them,
/// because CloudKit has no role for a command's addressee. A client stores a command's outcome in a receipt, a record of type
/// ``receiptRecordType``. The settings' backup has no grants: it is in the private database, where roles do not apply.
public enum CloudKitSchemaFile {
    /// The role of viewers. Assign it to their users in the CloudKit console.
    public static let viewerRole = "TelemetryViewer"
    /// The type of the records that hold a client's outcome of a command.
    public static let receiptRecordType = "TelemetryCommandReceipt"

    /// The schema file's text.
    public static func text() -> String {
        let types = records.map(text(of:)).joined(separator: "\n\n")
        return "DEFINE SCHEMA\n\n    CREATE ROLE \(viewerRole);\n\n\(types)\n"
    }

    package struct Field: Sendable {
        package let name: String
        package let type: String
        package let isIndexed: Bool
    }

    package struct RecordType: Sendable {
        package let name: String
        package let fields: [Field]
        package let grants: [String]
    }

    package static let records: [RecordType] = [
        RecordType(
            name: TelemetrySchema.recordType,
            fields: fields(TelemetrySchema.Field.allCases, TelemetrySchema.recordType, isIndexed: \.isIndexed)
                + [CloudKitField.appendIndex, CloudKitField.exactTime].map {
                    Field(name: $0, type: "INT64", isIndexed: false)
                },
            grants: ownedByCreator),
        RecordType(
            name: TelemetrySchema.clientRecordType,
            fields: fields(TelemetrySchema.ClientField.allCases, TelemetrySchema.clientRecordType, isIndexed: \.isIndexed),
            grants: ownedByCreator),
        RecordType(
            name: TelemetrySchema.scenarioRecordType,
            fields: fields(TelemetrySchema.ScenarioField.allCases, TelemetrySchema.scenarioRecordType, isIndexed: \.isIndexed),
            grants: ownedByCreator),
        RecordType(
            name: TelemetrySchema.commandRecordType,
            fields: fields(TelemetrySchema.CommandField.allCases, TelemetrySchema.commandRecordType, isIndexed: \.isIndexed),
            grants: writtenByViewers),
        RecordType(
            name: receiptRecordType,
            fields: fields(TelemetrySchema.CommandField.allCases, TelemetrySchema.commandRecordType, isIndexed: \.isIndexed),
            grants: ownedByCreator),
        RecordType(
            name: TelemetrySchema.ruleRecordType,
            fields: fields(TelemetrySchema.RuleField.allCases, TelemetrySchema.ruleRecordType, isIndexed: \.isIndexed),
            grants: writtenByViewers),
        RecordType(
            name: TelemetrySchema.settingsBackupRecordType,
            fields: fields(
                TelemetrySchema.SettingsBackupField.allCases, TelemetrySchema.settingsBackupRecordType, isIndexed: \.isIndexed),
            // Roles apply to the public database. The backup is only in the private one, which belongs to its owner.
            grants: []),
    ]

    /// The types of the public database that the transport queries.
    package static let queriedRecordTypes = [
        TelemetrySchema.recordType, TelemetrySchema.clientRecordType, TelemetrySchema.scenarioRecordType,
        TelemetrySchema.commandRecordType, TelemetrySchema.ruleRecordType,
    ]

    private static let writtenByViewers = [
        "GRANT READ TO \"_icloud\"",
        "GRANT READ, CREATE, WRITE TO \(viewerRole)",
    ]

    private static let ownedByCreator = [
        "GRANT READ, WRITE TO \"_creator\"",
        "GRANT CREATE TO \"_icloud\"",
        "GRANT READ, WRITE TO \(viewerRole)",
    ]

    /// CloudKit's system fields. Reading in the order of arrival requires the creation date; reading all records requires the
    /// name.
    private static let systemFields = [
        "\"___createTime\" TIMESTAMP QUERYABLE SORTABLE",
        "\"___createdBy\" REFERENCE",
        "\"___etag\" STRING",
        "\"___modTime\" TIMESTAMP",
        "\"___modifiedBy\" REFERENCE",
        "\"___recordID\" REFERENCE QUERYABLE",
    ]

    private static func fields<Key: RawRepresentable<String>>(
        _ keys: [Key], _ recordType: String, isIndexed: (Key) -> Bool
    ) -> [Field] {
        let own = keys.map { key in
            let kind = CloudKitField.kind(of: key.rawValue, in: recordType) ?? .string
            return Field(name: key.rawValue, type: kind.schemaName, isIndexed: isIndexed(key))
        }
        return own + [Field(name: CloudKitField.overflow, type: "STRING", isIndexed: false)]
    }

    private static func text(of record: RecordType) -> String {
        let fields = record.fields.map { field in
            "\(field.name) \(field.type)\(field.isIndexed ? " QUERYABLE SORTABLE" : "")"
        }
        let lines = (systemFields + fields + record.grants).map { "        \($0)" }.joined(separator: ",\n")
        return "    RECORD TYPE \(record.name) (\n\(lines)\n    );"
    }
}
