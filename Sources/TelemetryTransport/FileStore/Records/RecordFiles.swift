import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON files of values, each written to a temporary file and renamed: readers see them complete or not at all.
struct RecordFiles {
    let layout: StoreLayout
    let system: FileSystem
    let configuration: FileTelemetryTransport.Configuration

    var isDurable: Bool { configuration.isDurable }

    /// The value in a file; nil if there is none, or if it was invalid and moved to quarantine.
    func read<Value: Decodable>(_ type: Value.Type, at path: String) throws(FileError) -> Value? {
        let quarantine = Quarantine(layout: layout, system: system, diagnostics: configuration.diagnostics)
        switch try system.smallFile(path, limit: FileLimits.record) {
        case .missing: return nil
        case .unusable(let reason, let file): quarantine.move(path, of: file, because: reason)
        case .content(let bytes, let file):
            do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch { quarantine.move(path, of: file) }
        }
        return nil
    }

    func write(_ value: some Encodable, to path: String, in directory: String) throws {
        let temporary = try prepare(value, in: directory)
        defer { try? system.remove(temporary) }
        try system.rename(temporary, to: path)
        if isDurable { try system.synchronizeDirectory(directory) }
    }

    /// Writes a value to a temporary file in a directory, which is created if missing, and returns the file's path.
    func prepare(_ value: some Encodable, in directory: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text: Data
        do { text = try encoder.encode(value) } catch {
            throw TelemetryTransportError(
                code: .invalidArgument, message: "A value cannot be written as JSON: \(error).", cause: error)
        }
        guard text.count < FileLimits.record else {
            throw TelemetryTransportError.invalidArgument(
                "A value takes \(text.count) bytes as JSON; a file may have at most \(FileLimits.record).")
        }
        if try system.makeDirectory(directory), isDurable { try system.synchronizeDirectory(layout.records) }
        return try system.writeTemporary(in: directory, isDurable: isDurable) { file throws(FileError) in
            try file.write(Array(text) + [UInt8(ascii: "\n")])
        }
    }

    func remove(_ path: String, in directory: String) throws(FileError) {
        try system.remove(path)
        if isDurable { try system.synchronizeDirectory(directory) }
    }

    /// Whether a file of that name has a value.
    static func isName(_ name: String) -> Bool {
        name.utf8.first != UInt8(ascii: "-") && name.utf8.suffix(5).elementsEqual(".json".utf8)
    }

    /// The names and inodes of the files with values in a directory; empty if the directory is missing. Throws if its parent, which
    /// every store has, is missing too: an unreachable store must not appear empty.
    func entries(in directory: String, below parent: String) throws(FileError) -> [(name: String, inode: UInt64)] {
        do {
            return try system.entries(directory).filter { Self.isName($0.name) }
        } catch  where error.isNotFound {
            guard try system.status(parent) != nil else { throw error }
            return []
        }
    }

    /// The names of the files with values in a directory, as ``entries(in:below:)`` has them.
    func names(in directory: String, below parent: String) throws(FileError) -> [String] {
        try entries(in: directory, below: parent).map(\.name)
    }
}
