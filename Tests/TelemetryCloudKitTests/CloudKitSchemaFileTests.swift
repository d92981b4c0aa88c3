import Foundation
import TelemetryCloudKit
import TelemetryModels
import Testing

struct CloudKitSchemaFileTests {
    @Test("The schema file in the repository is the generated one")
    func committed() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/CloudKit/LiveTelemetry.ckdb")
        #expect(try String(contentsOf: file, encoding: .utf8) == CloudKitSchemaFile.text())
    }

    @Test("Every field of the schema has its type, and an index where the schema says so")
    func fields() throws {
        let events = try #require(CloudKitSchemaFile.records.first { $0.name == TelemetrySchema.recordType })
        for field in TelemetrySchema.Field.allCases {
            let found = try #require(events.fields.first { $0.name == field.rawValue })
            #expect(found.isIndexed == field.isIndexed)
        }
        #expect(events.fields.first { $0.name == "eventTimestamp" }?.type == "TIMESTAMP")
        #expect(events.fields.first { $0.name == "sequence" }?.type == "INT64")
    }

    @Test("Only the viewer's role may create or change commands")
    func commands() throws {
        let commands = try #require(CloudKitSchemaFile.records.first { $0.name == TelemetrySchema.commandRecordType })
        for grant in commands.grants where grant.contains("CREATE") || grant.contains("WRITE") {
            #expect(grant.hasSuffix(CloudKitSchemaFile.viewerRole))
        }
    }

    @Test("Nothing is granted to the role _world")
    func world() {
        #expect(!CloudKitSchemaFile.text().contains("_world"))
    }

    @Test("Fields and types have names that CloudKit accepts")
    func names() {
        for record in CloudKitSchemaFile.records {
            for name in [record.name] + record.fields.map(\.name) { #expect(CloudKitName.isIdentifier(name)) }
        }
    }
}
