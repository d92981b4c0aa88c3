import ArgumentParser
import Foundation
import TelemetryCloudKit
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct SchemaCommand: StoreCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, cloudkit }

    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the schema of the stored records; with --check, validate a store.",
        usage: "telemetry schema [options]",
        discussion: """
            Examples:
              telemetry schema
              telemetry schema --format cloudkit > LiveTelemetry.ckdb
              telemetry schema --check --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "The format: table, json or cloudkit (a CloudKit schema file).")
    var format = Format.table

    @Flag(help: "Validate the records and events of a store against the schema.")
    var check = false

    func perform(_ console: Console) async throws {
        if check { return try await check(try store.open(console), console) }
        switch format {
        case .table:
            var table = Table(["record type", "field", "type", "indexed"])
            for recordType in SchemaListing.recordTypes {
                for field in recordType.fields {
                    table.add([
                        .init(recordType.name), .init(field.name, look: console.style.bold), .init(field.type),
                        .init(field.isIndexed ? "yes" : "no"),
                    ])
                }
            }
            table.lines(style: console.style).forEach(console.line)
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            console.line(String(decoding: try encoder.encode(SchemaListing.recordTypes), as: UTF8.self))
        case .cloudkit: console.write(Array(CloudKitSchemaFile.text().utf8))
        }
    }

    private func check(_ transport: any TelemetryTransporting, _ console: Console) async throws {
        var records = 0
        var faults: [TelemetrySchema.SchemaError] = []
        for recordType in SchemaListing.recordTypes where recordType.name != TelemetrySchema.recordType {
            let found = try await transport.records(matching: .init(recordType: recordType.name))
            records += found.count
            faults += TelemetrySchema.validate(found)
        }
        var events = 0
        try await EventReader(transport: transport, filter: .all).read(after: nil, following: false) { page in
            events += page.events.count
            faults += page.events.flatMap { TelemetrySchema.validate($0.toRecord()) }
            console.progress("… \(counted(events, "event")) checked")
            return true
        }
        console.endProgress()
        for fault in faults.prefix(20) { console.line("✗ \(fault.description.visible)") }
        if faults.count > 20 { console.line("… and \((faults.count - 20).grouped) more") }
        guard faults.isEmpty else {
            throw ToolFailure(
                .data,
                "\(counted(faults.count, "schema violation")). A newer LiveTelemetry may have written them; see: telemetry doctor"
            )
        }
        console.line(
            "\(console.style.green("✓")) \(counted(records, "record")) and \(counted(events, "event")) match the schema.")
    }
}
