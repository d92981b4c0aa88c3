import Synchronization
import TelemetrySystem

/// Marks the files of one owner as in use: a file that is locked as long as the owner's process runs.
///
/// It is removed with the last file that it guards. If files remain, it remains until they are adopted.
final class SpoolLock: Sendable {
    private let file: OpenFile
    private let system: FileSystem
    private let uses = Atomic<Int>(1)

    private init(file: OpenFile, system: FileSystem) {
        self.file = file
        self.system = system
    }

    deinit { abandon() }

    /// Creates a new owner's lock.
    /// - Throws: an error that ``FileError/isLocked`` if a process that searches for dead owners locked the file first.
    static func create(_ path: String, _ system: FileSystem) throws(FileError) -> SpoolLock {
        let file = try system.open(path, for: .create)
        guard try file.tryLock(.exclusive), try file.status().isLinked else { throw .locked(path) }
        return SpoolLock(file: file, system: system)
    }

    /// Acquires a dead owner's lock, which is created if it is missing; nil if the owner runs.
    static func adopt(_ path: String, _ system: FileSystem) throws(FileError) -> SpoolLock? {
        let file = try system.open(path, for: .update)
        guard try file.tryLock(.exclusive), try file.status().isLinked else { return nil }
        return SpoolLock(file: file, system: system)
    }

    func retain() { uses.add(1, ordering: .relaxed) }

    /// Ends a use; the last one removes the lock.
    func release() {
        if uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { try? system.remove(file.path) }
    }

    /// Lets others adopt the files that the lock guards. Closing the file is not enough: a child process that is being started has
    /// a copy of the descriptor until it runs its own program, and the lock is held until the last copy is closed.
    func abandon() { file.unlock() }
}
