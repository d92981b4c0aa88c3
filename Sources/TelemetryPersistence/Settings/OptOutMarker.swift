package import Foundation
import TelemetryStorage

/// An empty file that stands for an opt-out where the settings themselves cannot be written.
///
/// Whoever records the opt-out takes the marker first, by renaming it, and removes it when the settings are written: an opt-out
/// that is marked meanwhile is marked anew, and a process that is killed in between leaves a taken marker, which counts.
package struct OptOutMarker: Sendable {
    private let directory: URL
    private let path: String
    private var takenPath: String { path + ".taken" }
    /// What was taken was applied already to settings that could not be written yet.
    private var isApplied = false

    /// - Parameters:
    ///   - directory: Made where it is missing, once something is to be marked.
    ///   - name: The file's name.
    package init(directory: URL, name: String) {
        self.directory = directory
        path = directory.appending(path: name).path(percentEncoded: false)
    }

    /// Whether an opt-out is marked that nobody has recorded yet.
    package var isPlaced: Bool { exists(path) || (!isApplied && exists(takenPath)) }

    /// Marks an opt-out.
    /// - Returns: whether the marker outlives the process.
    package func place() -> Bool {
        let file = PrivateFile(path)
        do {
            try file.system.makeDirectories(directory.standardizedFileURL.path(percentEncoded: false))
            try file.create()
            return true
        } catch { return false }
    }

    /// Whether there is an opt-out to be recorded; it is the caller's from now on, who calls ``clear()`` when it is recorded.
    package mutating func take() -> Bool {
        let isTaken = (exists(path) && (try? PrivateFile(path).move(to: takenPath)) != nil) || (!isApplied && exists(takenPath))
        if isTaken { isApplied = true }
        return isTaken
    }

    /// What was taken is recorded.
    package mutating func clear() {
        guard isApplied else { return }
        if (try? PrivateFile(takenPath).remove()) != nil { isApplied = false }
    }

    private func exists(_ path: String) -> Bool {
        (try? FileSystem().status(path)?.isRegularFile) == true
    }
}
