import ArgumentParser
import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import ViewerKit

struct ImportCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Add an archive written by 'telemetry export' to a store.",
        usage: "telemetry import FILE [options]",
        discussion: """
            Events that exist in the store are skipped. Existing records are kept unless --overwrite is given.

            Example: telemetry import yesterday.jsonl --directory /srv/archive
            """)

    private static let clientsWithOpenFiles = 1_024

    @OptionGroup var store: StoreOptions

    @Flag(help: "Replace existing records.")
    var overwrite = false

    @Flag(name: .customLong("dry-run"), help: "Read and count the archive, but store nothing.")
    var dryRun = false

    @Argument(help: "The archive to read.")
    var file: String

    func perform(_ console: Console) async throws {
        let url = URL(fileURLWithPath: file)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory.boolValue else {
            let what = isDirectory.boolValue ? "\(url.path.visible) is a directory." : "No file at \(url.path.visible)."
            throw ToolFailure(.notFound, "\(what) Give an archive written by telemetry export.")
        }
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 0)
        var reader = LineReader(handle)
        guard let first = try reader.next() else {
            throw ToolFailure(.data, "The file is empty. Give an archive written by telemetry export.")
        }
        try StoreArchive.readHeader(first)
        let parts = ArchiveParts(handle, from: min(size, first.count + 1), size: size)
        let transport = dryRun ? nil : try store.openOrCreate(console)
        if let directory = transport as? FileTelemetryTransport {
            await directory.keepFilesOpen(ofClients: OpenFileLimit.raise(forClients: Self.clientsWithOpenFiles))
        }
        let before = try await transport?.countEvents()
        var number = 1
        var records = (new: 0, known: 0)
        var events = 0
        var refused = 0
        try await ArchiveReader(parts).forEachPart { part, position in
            for lines in part {
                switch lines {
                case .record(let record):
                    number += 1
                    if try await save(record, to: transport) { records.new += 1 } else { records.known += 1 }
                case .events(let batches):
                    refused += try await append(batches, to: transport)
                    let count = batches.reduce(0) { $0 + $1.count }
                    number += count
                    events += count
                case .invalid:
                    let before = dryRun ? "nothing was imported" : "the lines before it were imported"
                    throw ToolFailure(.data, "Line \(number + 1) of \(url.path.visible) is invalid; \(before).")
                }
            }
            console.progress(ProgressBar.line(position / 1_000, of: size / 1_000, unit: "kB"))
        }
        console.endProgress()
        let accepted = events - refused
        // A store does not report which of the events it has already, so they are counted before and after.
        let after = try await transport?.countEvents()
        let new = after.map { min(accepted, max(0, $0 - (before ?? 0))) } ?? accepted
        let kept = records.known > 0 ? "; kept \(counted(records.known, "existing record"))" : ""
        let skipped = new < accepted ? "; skipped \(counted(accepted - new, "existing event"))" : ""
        console.line(
            "\(dryRun ? "Would import" : "Imported") \(counted(records.new, "record")) and \(counted(new, "event"))\(kept)\(skipped)."
        )
        if refused > 0 {
            throw ToolFailure(
                .data, "The store rejected \(counted(refused, "event")): too large, or with a date outside the years 1 to 9999.")
        }
    }

    /// Stores the events that the store accepts, and returns the number of rejected ones.
    private func append(_ batches: [TelemetryEventBatch], to transport: (any TelemetryTransporting)?) async throws -> Int {
        guard let transport else { return 0 }
        // A relay receives many events with one request, a directory stores each batch as it is.
        let batches = transport is FileTelemetryTransport ? batches : [TelemetryEventBatch(batches.flatMap(\.events))]
        var refused = 0
        for batch in batches { refused += try await append(batch, to: transport) }
        return refused
    }

    private func append(_ batch: TelemetryEventBatch, to transport: any TelemetryTransporting) async throws -> Int {
        guard batch.count > 0 else { return 0 }
        do {
            try await transport.append(batch)
            return 0
        } catch let error as TelemetryTransportError where isRejection(error, of: transport) {
            guard batch.count > 1 else { return 1 }
            let middle = batch.count / 2
            let refused = try await append(batch[0..<middle], to: transport)
            return try await refused + append(batch[middle..<batch.count], to: transport)
        }
    }

    /// Whether the store rejects the events themselves. A directory reports a full disk with the same code as a relay
    /// reports an event that is too large.
    private func isRejection(_ error: TelemetryTransportError, of transport: any TelemetryTransporting) -> Bool {
        error.code == .invalidArgument || error.code == .quotaExceeded && !(transport is FileTelemetryTransport)
    }

    /// Returns false if the store already has the record and keeps it.
    private func save(_ record: TelemetryRecord, to transport: (any TelemetryTransporting)?) async throws -> Bool {
        guard let transport else { return true }
        do {
            _ = try await transport.save([record], policy: overwrite ? .overwrite : .insert)
            return true
        } catch let error as TelemetryTransportError where error.code == .conflict {
            return false
        }
    }
}
