import Foundation
import TelemetryModels

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

    var path: String { directory.appending(path: "\(name).json").path(percentEncoded: false) }
    private var lockPath: String { directory.appending(path: "\(name).lock").path(percentEncoded: false) }
    private var corruptPath: String { directory.appending(path: "\(name).corrupt.json").path(percentEncoded: false) }

    /// What stands in the file. It is replaced by renaming, so that it is seen whole without the lock.
    func contents() throws -> Contents {
        do {
            guard let data = try PrivateFile.read(path) else { return .missing }
            return .found(try JSONDecoder().decode(Value.self, from: data))
        } catch let error as FileSystemError where error.code != EFBIG {
            throw error
        } catch {
            return .corrupt("\(error)")
        }
    }

    /// Runs the body while nobody else changes the file; makes the directory where it is missing.
    func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try PrivateFile.makeDirectory(directory)
        return try FileLock.holding(lockPath, body)
    }

    /// The value, or nil where there is none; a corrupt file is set aside. Call it within ``exclusively(_:)``.
    func valueSettingCorruptAside() throws -> Value? {
        switch try contents() {
        case .missing: return nil
        case .found(let value): return value
        case .corrupt(let reason):
            try PrivateFile.move(path, to: corruptPath)
            diagnostics?(
                TelemetryDiagnostic(kind: .corruptFile, message: "\(path) was set aside as \(corruptPath): \(reason)"))
            return nil
        }
    }

    /// Replaces the file. Call it within ``exclusively(_:)``.
    /// - Parameter stored: What stands in the file; where it has the same stored form, nothing is written.
    func write(_ value: Value, unlessSameAs stored: Value? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value)
        if let stored, try encoder.encode(stored) == data { return }
        try PrivateFile.replace(path, with: data + Data("\n".utf8))
    }
}
