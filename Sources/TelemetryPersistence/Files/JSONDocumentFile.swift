import Foundation
import TelemetryModels
import TelemetrySystem

/// A value in a JSON file `<name>.json`, in a directory that processes share. It is changed only under the lock `<name>.lock`.
struct JSONDocumentFile<Value: Codable & Sendable>: Sendable {
    enum Contents {
        case missing
        case found(Value)
        case corrupt(String)
    }

    let directory: URL
    let name: String
    let diagnostics: TelemetryDiagnosticsHandler?
    var system = FileSystem()

    var path: String { directory.appending(path: "\(name).json").path(percentEncoded: false) }
    private var lockPath: String { directory.appending(path: "\(name).lock").path(percentEncoded: false) }
    private var corruptPath: String { directory.appending(path: "\(name).corrupt.json").path(percentEncoded: false) }
    private var file: PrivateFile { PrivateFile(path, system: system) }

    /// Returns the file's contents. Needs no lock: the file is replaced by renaming and never partially written.
    func contents() throws(FileError) -> Contents {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try file.read() } catch {
            // A file that is too large was not written by this package. Other failures may be temporary.
            guard error.isTooLarge else { throw error }
            return .corrupt("\(error)")
        }
        guard let bytes else { return .missing }
        do { return .found(try JSONDecoder().decode(Value.self, from: Data(bytes))) } catch { return .corrupt("\(error)") }
    }

    /// Waits for the lock. Creates the directory if it is missing.
    nonisolated(nonsending) func lock() async -> Result<FileLock, FileError> {
        do throws(FileError) {
            try system.makeDirectories(directory.standardizedFileURL.path(percentEncoded: false))
            return .success(try await FileLock.acquire(lockPath, system: system))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the value; nil if there is none. Moves a corrupt file aside. Call it while holding the lock.
    func valueSettingCorruptAside() throws(FileError) -> Value? {
        switch try contents() {
        case .missing: return nil
        case .found(let value): return value
        case .corrupt(let reason):
            try file.move(to: corruptPath)
            diagnostics?(
                TelemetryDiagnostic(kind: .corruptFile, message: "\(path) was set aside as \(corruptPath): \(reason)"))
            return nil
        }
    }

    /// Replaces the file. Call it while holding the lock.
    /// - Parameter stored: The file's value. If its stored form is the same, nothing is written.
    func write(_ value: Value, unlessSameAs stored: Value? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        if let stored, try encoder.encode(stored) == data { return }
        try file.replace(with: Array(data) + [UInt8(ascii: "\n")])
    }

    /// Removes the file if it exists.
    func remove() throws(FileError) { try file.remove() }
}
