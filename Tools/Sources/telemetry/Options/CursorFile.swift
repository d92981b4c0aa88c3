import Foundation
import TelemetryTransport
import ViewerKit

/// A file with the cursor after the last event that a command has processed.
struct CursorFile {
    let path: String

    /// The cursor; nil if the file is missing or empty.
    func read() throws -> TelemetryCursor? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : TelemetryCursor(rawValue: text)
    }

    /// Replaces the file atomically, so that a process that is killed leaves the old or the new cursor.
    func write(_ cursor: TelemetryCursor) throws {
        try Data("\(cursor.rawValue)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Prevents other processes from locking the file until the returned handle is closed.
    func lock() throws -> FileHandle {
        // The file itself is replaced at every write, and a lock is on a file, not on its name.
        let url = URL(fileURLWithPath: path + ".lock")
        let handle: FileHandle
        do {
            if !FileManager.default.fileExists(atPath: url.path) { try Data().write(to: url) }
            handle = try FileHandle(forUpdating: url)
        } catch {
            throw ToolFailure(.cannotCreate, "Cannot write \(url.path.visible): \(error.localizedDescription)")
        }
        guard DescriptorLock.lock(handle.fileDescriptor) else {
            throw ToolFailure(.unavailable, "Another process uses the cursor file \(path.visible).")
        }
        return handle
    }

    /// Explains that the store does not accept the cursor.
    func failure(_ error: TelemetryTransportError) -> ToolFailure {
        ToolFailure(.data, "\(error.message) To start from the beginning, delete \(path.visible).")
    }
}
