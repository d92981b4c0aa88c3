import TelemetryModels

/// The container's schema in CloudKit's schema language, made from ``TelemetryModels/TelemetrySchema`` so that the two cannot
/// drift apart.
///
/// Import it with `xcrun cktool import-schema`, then deploy it to production in the CloudKit console. The grammar is described
/// at <https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow>.
///
/// Who may do what: everybody signed in may create events, clients, scenarios and receipts; only who created one, and the
/// viewer's role, may read or change it. Commands and rules are created and changed by the viewer's role alone, and read by everybody
/// signed in: CloudKit has no role for "the client that it is addressed to". A client tells the end of a command in a receipt
/// of its own, a record of type ``receiptRecordType``. The settings' backup is granted to nobody: in the private database, its
/// place, roles do not apply.
public enum CloudKitSchemaFile {
    /// The role of the people who look in; assign it to them in the CloudKit console.
    public static let viewerRole = "TelemetryViewer"
    /// A client's word on a command that it may read and not change.
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
            // Roles are the public database's. In the private one it is its owner's; in the public one it has no business.
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

    /// CloudKit's own fields. Reading in the order of arrival needs the time of creation; "all records" needs the name.
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
