package import Foundation
import TelemetrySystem

/// An empty file that records an opt-out if the settings cannot be written.
///
/// To record the opt-out in the settings, a process takes the marker by renaming it, and removes it when the settings are
/// written. An opt-out that is marked meanwhile creates a new marker. A process that is killed in between leaves the renamed
/// marker, which still counts.
package struct OptOutMarker: Sendable {
    private let directory: URL
    private let path: String
    private var takenPath: String { path + ".taken" }
    /// Whether the taken opt-out was already applied to settings that could not be written.
    private var isApplied = false

    /// - Parameters:
    ///   - directory: The marker's directory; created with the marker if it is missing.
    ///   - name: The file's name.
    package init(directory: URL, name: String) {
        self.directory = directory
        path = directory.appending(path: name).path(percentEncoded: false)
    }

    /// Whether an opt-out is marked and not yet recorded.
    package var isPlaced: Bool { exists(path) || (!isApplied && exists(takenPath)) }

    /// Marks an opt-out.
    /// - Returns: Whether the marker outlives the process.
    package func place() -> Bool {
        let file = PrivateFile(path)
        do {
            try file.system.makeDirectories(directory.standardizedFileURL.path(percentEncoded: false))
            try file.create()
            return true
        } catch { return false }
    }

    /// Returns whether there is an opt-out to record, and takes it. The caller calls ``clear()`` when it is recorded.
    package mutating func take() -> Bool {
        let isTaken = (exists(path) && (try? PrivateFile(path).move(to: takenPath)) != nil) || (!isApplied && exists(takenPath))
        if isTaken { isApplied = true }
        return isTaken
    }

    /// Removes the taken marker, because the opt-out is recorded.
    package mutating func clear() {
        guard isApplied else { return }
        if (try? PrivateFile(takenPath).remove()) != nil { isApplied = false }
    }

    private func exists(_ path: String) -> Bool {
        (try? FileSystem().status(path)?.isRegularFile) == true
    }
}
