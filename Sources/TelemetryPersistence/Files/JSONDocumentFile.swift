import Foundation
import TelemetryModels
import TelemetryStorage

/// A value as one JSON file in a directory that processes share: `<name>.json`, changed only under `<name>.lock`.
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

    /// What stands in the file. It is replaced by renaming, so that it is seen whole without the lock.
    func contents() throws(FileError) -> Contents {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try file.read() } catch {
            // What is too large is none of ours. Other failures may pass.
            guard error.isTooLarge else { throw error }
            return .corrupt("\(error)")
        }
        guard let bytes else { return .missing }
        do { return .found(try JSONDecoder().decode(Value.self, from: Data(bytes))) } catch { return .corrupt("\(error)") }
    }

    /// Waits until nobody else changes the file; makes the directory where it is missing.
    nonisolated(nonsending) func lock() async -> Result<FileLock, FileError> {
        do throws(FileError) {
            try system.makeDirectories(directory.standardizedFileURL.path(percentEncoded: false))
            return .success(try await FileLock.acquire(lockPath, system: system))
        } catch {
            return .failure(error)
        }
    }

    /// The value, or nil where there is none; a corrupt file is set aside. Call it while holding the lock.
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
    /// - Parameter stored: What stands in the file; where it has the same stored form, nothing is written.
    func write(_ value: Value, unlessSameAs stored: Value? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        if let stored, try encoder.encode(stored) == data { return }
        try file.replace(with: Array(data) + [UInt8(ascii: "\n")])
    }

    /// Removes the file; one that is not there is no error.
    func remove() throws(FileError) { try file.remove() }
}
