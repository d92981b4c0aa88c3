import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The manifest that identifies a directory as a store, and the creation of new stores.
struct StoreFormat {
    private struct Manifest: Codable {
        var format: String
        var id: String
        var version: Int

        func text() throws -> [UInt8] {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
        }
    }

    static let name = "LiveTelemetry file store"
    /// The only version of the format that is read and written.
    static let version = 4
    private static let ownNames: Set = ["records", "subscriptions", "events", "journal", "set-aside", "format.json"]
    /// Names that file systems and file managers create in directories.
    private static let systemNames: Set = ["lost+found", "System Volume Information", "desktop.ini", "Thumbs.db", "@eaDir"]
    /// Seconds. A temporary file is used briefly; an older one was left by a killed process.
    private static let temporaryLifetime: Int64 = 600

    let layout: StoreLayout
    let system: FileSystem
    var diagnostics: TelemetryDiagnosticsHandler?

    /// Creates a store in the directory, or checks the one there. A store of another version is left unchanged.
    /// - Returns: The store's identifier.
    func prepare() throws(TelemetryTransportError) -> String {
        do {
            try makeParents()
            guard let status = try system.status(layout.directory + "/.") else {
                throw TelemetryTransportError.invalidArgument("\(layout.directory) is not a directory.")
            }
            try checkOwner(status)
            let id = try readManifest().map(check) ?? makeManifest()
            for directory in layout.all { try system.makeDirectory(directory) }
            return id
        } catch let error as TelemetryTransportError {
            throw error
        } catch let error as FileError {
            throw error.transportError
        } catch {
            throw TelemetryTransportError(code: .unavailable, message: "The store could not be opened.", cause: error)
        }
    }

    /// Every user who can write to the directory controls what is read and where data is written.
    private func checkOwner(_ status: FileStatus) throws(TelemetryTransportError) {
        let advice = "make it accessible to its owner alone (chmod 700), or choose another directory"
        if status.isWritableByOthers {
            throw TelemetryTransportError(
                code: .unauthorized, message: "\(layout.directory) can be written to by every user of this machine; \(advice).")
        }
        if status.owner != system.user, status.owner != 0 {
            let message = "\(layout.directory) belongs to the user \(status.owner), not to the user \(system.user)"
            guard system.user == 0 else {
                throw TelemetryTransportError(
                    code: .unauthorized, message: "\(message) of this process; run as its owner, or choose another directory.")
            }
            diagnostics?(
                .init(kind: .unexpectedInput, message: "\(message) of this process; its owner cannot read files created now."))
        }
        if status.isWritableByGroup {
            diagnostics?(
                .init(kind: .unexpectedInput, message: "\(layout.directory) can be written to by its group; \(advice)."))
        }
    }

    private func readManifest() throws -> [UInt8]? {
        switch try system.smallFile(layout.format, limit: FileLimits.manifest) {
        case .missing: return nil
        case .content(let bytes, _): return bytes
        case .unusable(let reason, _):
            throw TelemetryTransportError(
                code: .corrupted, message: "\(layout.format) \(reason); it is not a store manifest.")
        }
    }

    /// Removes temporary files of killed processes; ignores files that cannot be removed.
    func clean() {
        let now = system.now()
        for directory in [layout.directory, layout.journal, layout.subscriptions] + recordDirectories() {
            for name in (try? system.list(directory)) ?? [] where name.hasPrefix("-") && name != "-lock" {
                let path = "\(directory)/\(name)"
                guard let status = try? system.status(path), !status.isDirectory,
                    status.modified < now - Self.temporaryLifetime
                else { continue }
                try? system.remove(path)
            }
        }
    }

    private func recordDirectories() -> [String] {
        let names = (try? system.list(layout.records)) ?? []
        return names.filter { !$0.hasPrefix("-") }.map { "\(layout.records)/\($0)" }
    }

    private func check(_ bytes: [UInt8]) throws(TelemetryTransportError) -> String {
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)), manifest.format == Self.name else {
            throw TelemetryTransportError(code: .corrupted, message: "\(layout.format) is not a store manifest.")
        }
        guard manifest.version == Self.version else {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "\(layout.directory) is a store of version \(manifest.version); "
                    + "this library reads and writes version \(Self.version).")
        }
        return manifest.id
    }

    private func makeManifest() throws -> String {
        let names = try system.list(layout.directory).filter { !$0.hasPrefix("-") && !$0.hasPrefix(".") }
        if let foreign = names.sorted().first(where: { !Self.ownNames.union(Self.systemNames).contains($0) }) {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "\(layout.directory) contains \"\(foreign)\" and is not a telemetry store; choose an empty directory.")
        }
        // A store that lost its manifest keeps its identifier, so that cursors stay valid.
        let manifest = Manifest(
            format: Self.name, id: identifierInJournal() ?? EventIdentifier.randomPrefix(), version: Self.version)
        let text = try manifest.text()
        let isMade = try system.make(layout.format, isDurable: true) { file throws(FileError) in try file.write(text) }
        if isMade { return manifest.id }
        // Another process was first.
        guard let theirs = try readManifest() else { throw FileError.missing(layout.format) }
        return try check(theirs)
    }

    private func identifierInJournal() -> String? {
        let numbers = ((try? system.list(layout.journal)) ?? []).compactMap(StoreLayout.journalNumber)
        for number in numbers.sorted().reversed() {
            var reader = JournalReader(
                layout: layout, system: system, diagnostics: nil,
                position: JournalPosition(file: number, offset: 0, events: 0))
            if let (line, _) = try? reader.next(), case .head(let id, _) = line { return id }
        }
        return nil
    }

    /// Creates the directory and its missing parents.
    private func makeParents() throws {
        do { try system.makeDirectories(layout.directory) } catch {
            guard error.isNotFound else { throw error }
            throw TelemetryTransportError.invalidArgument("\(layout.directory) cannot be created: part of the path is a file.")
        }
    }
}
