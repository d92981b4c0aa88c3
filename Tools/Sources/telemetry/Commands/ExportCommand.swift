import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryOTLP
import TelemetryTransport
import ViewerKit

struct ExportCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write a store, or some of its events, to one file.",
        usage: "telemetry export FILE [options]",
        discussion: """
            The file contains one JSON object per line: first the records, then the events. Read it with 'telemetry import'.
            With --format otlp, it contains the events only, as OpenTelemetry logs: a request of OTLP in JSON per line.

            Examples:
              telemetry export --since 1d yesterday.jsonl
              telemetry export --format otlp --service-name shop logs.jsonl
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var filter: FilterOptions

    @OptionGroup var otlp: OTLPOptions

    @Option(help: "The format: archive, or otlp.")
    var format = ArchiveFormat.archive

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @Argument(help: "The file to write, or - for standard output.")
    var file: String

    func validate() throws {
        if otlp.serviceName != nil, format != .otlp { throw ValidationError("--service-name requires --format otlp.") }
    }

    func perform(_ console: Console) async throws {
        let transport = try store.openForExport(console)
        let criteria = try await filter.resolved(over: transport, in: store)
        // The store cannot count the events of several clients.
        let isCounted = file != "-" && criteria.clients == nil
        let expected = isCounted ? try await transport.countEvents(matching: criteria.filter) : nil
        let path = file
        let isForced = force
        let encoder = format == .otlp ? otlp.encoder : nil
        let number = try await SystemSignal.cancelling {
            try await Self.write(
                transport, matching: criteria, to: try ExportDestination(path: path, force: isForced), as: encoder,
                expected: expected, console)
        }
        if let number {
            console.note("telemetry: Interrupted; nothing was written.")
            SystemSignal.end(by: number)
        }
    }

    /// - Parameter encoder: Encodes the events as OpenTelemetry logs; nil writes an archive.
    private static func write(
        _ transport: any TelemetryTransporting, matching criteria: EventCriteria, to target: ExportDestination,
        as encoder: TelemetryOTLPEncoder?, expected: Int?, _ console: Console
    ) async throws {
        do {
            let clients = criteria.filter.clientId.map { [$0] } ?? criteria.clients
            let records = encoder == nil ? try await writeRecords(transport, only: clients, to: target) : nil
            var events = 0
            var json = EventJSON()
            var bytes: [UInt8] = []
            try await EventReader(transport: transport, filter: criteria.filter).read(after: nil, following: false) { page in
                bytes.removeAll(keepingCapacity: true)
                let wanted = criteria.events(of: page)
                if let encoder, !wanted.isEmpty { bytes += encoder.encode(wanted) + [0x0A] }
                for event in wanted where encoder == nil {
                    json.append(event, to: &bytes)
                    bytes.append(0x0A)
                }
                try target.write(bytes)
                events += wanted.count
                if let expected { console.progress(ProgressBar.line(events, of: expected, unit: "events")) }
                return true
            }
            console.endProgress()
            try Task.checkCancellation()
            try target.finish()
            let contents = [records.map { counted($0, "record") }, counted(events, "event")].compactMap(\.self)
            console.note("Exported \(contents.joined(separator: " and ")).")
        } catch {
            console.endProgress()
            target.abandon()
            throw error
        }
    }

    private static func writeRecords(
        _ transport: any TelemetryTransporting, only clients: Set<String>?, to target: ExportDestination
    ) async throws -> Int {
        try target.write(try StoreArchive.header())
        var count = 0
        for recordType in SchemaListing.recordTypes where recordType.name != TelemetrySchema.recordType {
            let query = TelemetryRecordQuery(recordType: recordType.name)
            let queries = clients.map { clients in
                clients.sorted().map { clientId in
                    var query = query
                    query.conditions[TelemetrySchema.ClientField.clientId.rawValue] = .string(clientId)
                    return query
                }
            }
            for query in queries ?? [query] {
                for record in try await transport.records(matching: query) {
                    try target.write(try StoreArchive.line(record))
                    count += 1
                }
            }
        }
        return count
    }
}

/// The format of an export as a command-line argument.
enum ArchiveFormat: String, CaseIterable, ExpressibleByArgument { case archive, otlp }

/// The file that an export writes. It has a temporary name until it is complete.
final class ExportDestination {
    private let handle: FileHandle
    private let temporary: URL?
    private let final: URL?

    init(path: String, force: Bool) throws {
        guard path != "-" else {
            handle = .standardOutput
            temporary = nil
            final = nil
            return
        }
        let url = URL(fileURLWithPath: path)
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue {
            throw ToolFailure(.cannotCreate, "\(url.path.visible) is a directory. Give the name of a file.")
        }
        if !force, FileManager.default.fileExists(atPath: url.path) {
            throw ToolFailure(.cannotCreate, "\(url.path.visible) exists; use --force to replace it.")
        }
        let part = url.appendingPathExtension("part")
        guard FileManager.default.createFile(atPath: part.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = try? FileHandle(forWritingTo: part)
        else {
            throw ToolFailure(.cannotCreate, "Cannot write \(url.path.visible). Check that its directory exists and is writable.")
        }
        self.handle = handle
        temporary = part
        final = url
    }

    func write(_ bytes: [UInt8]) throws {
        do { try handle.write(contentsOf: bytes) } catch {
            throw ToolFailure(.inputOutput, "Cannot write the file: \(error.localizedDescription)")
        }
    }

    func finish() throws {
        guard let temporary, let final else { return }
        try handle.synchronize()
        try handle.close()
        guard rename(temporary.path, final.path) == 0 else {
            throw ToolFailure(.cannotCreate, "Cannot write \(final.path.visible).")
        }
    }

    func abandon() { if let temporary { try? FileManager.default.removeItem(at: temporary) } }
}
