package import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The manifest that identifies a directory as a store, and the creation of new stores.
package struct StoreFormat {
    package struct Mark: Codable {
        package var format: String
        package var id: String
        package var version: Int
    }

    package static let name = "LiveTelemetry file store"
    /// Version 1 has no checksums in its segments' headers; its stores are read, and become this version when events are written.
    package static let version = 2
    private static let ownNames: Set = ["records", "subscriptions", "events", "journal", "set-aside", "format.json"]
    /// What file systems and file managers put into directories by themselves.
    private static let systemNames: Set = ["lost+found", "System Volume Information", "desktop.ini", "Thumbs.db", "@eaDir"]
    /// Seconds. A temporary file is used briefly; an older one was left by a killed process.
    private static let temporaryLifetime: Int64 = 600

    package let layout: StoreLayout
    package let system: FileSystem
    package var diagnostics: TelemetryDiagnosticsHandler?

    package init(layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler? = nil) {
        self.layout = layout
        self.system = system
        self.diagnostics = diagnostics
    }

    /// Creates a store in the directory, or checks that this version can use the one there. Returns the store's identifier.
    package func prepare() throws(StoreError) -> String {
        do {
            try makeParents()
            guard let status = try system.status(layout.directory + "/.") else {
                throw StoreError.invalidArgument("\(layout.directory) is not a directory.")
            }
            try checkOwner(status)
            let id = try readMark().map(check) ?? makeMark()
            for directory in layout.all { try system.makeDirectory(directory) }
            return id
        } catch let error as StoreError {
            throw error
        } catch let error as FileError {
            throw error.storeError
        } catch {
            throw StoreError(code: .unavailable, message: "The store could not be opened.", cause: error)
        }
    }

    /// Every user who can write to the directory controls what is read and where data is written.
    private func checkOwner(_ status: FileStatus) throws(StoreError) {
        let advice = "make it accessible to its owner alone (chmod 700), or choose another directory"
        if status.isWritableByOthers {
            throw StoreError(
                code: .unauthorized, message: "\(layout.directory) can be written to by every user of this machine; \(advice).")
        }
        if status.owner != system.user, status.owner != 0 {
            let message = "\(layout.directory) belongs to the user \(status.owner), not to the user \(system.user)"
            guard system.user == 0 else {
                throw StoreError(
                    code: .unauthorized, message: "\(message) of this process; run as its owner, or choose another directory.")
            }
            diagnostics?(
                .init(kind: .unexpectedInput, message: "\(message) of this process; files made now cannot be read by its owner."))
        }
        if status.isWritableByGroup {
            diagnostics?(
                .init(kind: .unexpectedInput, message: "\(layout.directory) can be written to by its group; \(advice)."))
        }
    }

    private func readMark() throws -> [UInt8]? {
        switch try system.smallFile(layout.format, limit: FileLimits.mark) {
        case .missing: return nil
        case .content(let bytes, _): return bytes
        case .unusable(let reason, _):
            throw StoreError(
                code: .corrupted, message: "\(layout.format) \(reason); it is no mark of a telemetry store.")
        }
    }

    /// Removes temporary files of killed processes, as far as possible.
    package func clean() {
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

    private func check(_ bytes: [UInt8]) throws(StoreError) -> String {
        guard let mark = try? JSONDecoder().decode(Mark.self, from: Data(bytes)), mark.format == Self.name else {
            throw StoreError(code: .corrupted, message: "\(layout.format) does not tell of a telemetry store.")
        }
        guard (1...Self.version).contains(mark.version) else {
            throw StoreError(
                code: .corrupted,
                message:
                    "\(layout.directory) is a store of version \(mark.version); this library knows none above \(Self.version).")
        }
        return mark.id
    }

    private func makeMark() throws -> String {
        let names = try system.list(layout.directory).filter { !$0.hasPrefix("-") && !$0.hasPrefix(".") }
        if let foreign = names.sorted().first(where: { !Self.ownNames.union(Self.systemNames).contains($0) }) {
            throw StoreError(
                code: .corrupted,
                message: "\(layout.directory) holds \"\(foreign)\" and is not a telemetry store; an empty directory would do.")
        }
        // A store that lost its manifest keeps its identifier, so that cursors stay valid.
        let mark = Mark(
            format: Self.name, id: identifierInJournal() ?? EventIdentifier.randomPrefix(), version: Self.version)
        let text = try mark.text()
        let isMade = try system.make(layout.format, isDurable: true) { file throws(FileError) in try file.write(text) }
        if isMade { return mark.id }
        // Another process was first.
        guard let theirs = try readMark() else { throw FileError.missing(layout.format) }
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
            throw StoreError.invalidArgument("\(layout.directory) cannot be made: part of it is a file.")
        }
    }
}
