import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The mark by which a directory is known as a store, and the making of a new one.
struct StoreFormat {
    private struct Mark: Codable {
        var format: String
        var version: Int
    }

    static let name = "LiveTelemetry file store"
    static let version = 1

    let layout: StoreLayout
    let system: FileSystem

    /// Makes the directory a store, or sees that it is one that this version can use.
    func prepare() throws(TelemetryTransportError) {
        do {
            try makeParents()
            if let status = try system.status(layout.directory + "/."), !status.isDirectory {
                throw TelemetryTransportError.invalidArgument("\(layout.directory) is not a directory.")
            }
            if let mark = try system.contents(of: layout.format) {
                try check(mark)
            } else {
                try makeMark()
            }
            for directory in layout.all { try system.makeDirectory(directory) }
        } catch let error as TelemetryTransportError {
            throw error
        } catch let error as FileError {
            throw error.transportError
        } catch {
            throw TelemetryTransportError(code: .unavailable, message: "The store could not be opened.", cause: error)
        }
    }

    private func check(_ bytes: [UInt8]) throws(TelemetryTransportError) {
        guard let mark = try? JSONDecoder().decode(Mark.self, from: Data(bytes)), mark.format == Self.name else {
            throw TelemetryTransportError(code: .corrupted, message: "\(layout.format) does not tell of a telemetry store.")
        }
        guard mark.version == Self.version else {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "\(layout.directory) is a store of version \(mark.version); this library knows version \(Self.version).")
        }
    }

    private func makeMark() throws {
        let names = try system.list(layout.directory).filter { !$0.hasPrefix("-") && !$0.hasPrefix(".") }
        let known: Set = ["records", "subscriptions", "events", "journal", "set-aside", "format.json"]
        if let foreign = names.sorted().first(where: { !known.contains($0) }) {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "\(layout.directory) holds \"\(foreign)\" and is not a telemetry store; an empty directory would do.")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = try encoder.encode(Mark(format: Self.name, version: Self.version))
        let temporary = "\(layout.directory)/-\(EventIdentifier.randomPrefix())"
        defer { try? system.remove(temporary) }
        try system.open(temporary, for: .create).write(Array(text) + [UInt8(ascii: "\n")])
        do { try system.link(temporary, to: layout.format) } catch { guard error.isExisting else { throw error } }
    }

    /// Makes the directory and whatever above it is missing.
    private func makeParents() throws {
        var missing: [String] = []
        var path = layout.directory
        while path != "/", !path.isEmpty, try system.status(path) == nil {
            missing.append(path)
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        for path in missing.reversed() {
            do {
                try system.makeDirectory(path)
            } catch {
                guard error.isNotFound else { throw error }
                throw TelemetryTransportError.invalidArgument("\(layout.directory) cannot be made: part of it is a file.")
            }
        }
    }
}
