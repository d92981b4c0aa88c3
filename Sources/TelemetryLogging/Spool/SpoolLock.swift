import Synchronization
import TelemetryStorage

/// Says that the files of one owner are in use: a file that is locked for as long as the owner's process lives.
///
/// It goes when the last file that it guards is removed; where files remain, it remains with them for whoever adopts them.
final class SpoolLock: Sendable {
    private let file: OpenFile
    private let system: FileSystem
    private let uses = Atomic<Int>(1)

    private init(file: OpenFile, system: FileSystem) {
        self.file = file
        self.system = system
    }

    deinit { abandon() }

    /// Makes a new owner's lock.
    /// - Throws: an error that ``FileError/isLocked`` where somebody who looks for dead owners just now was faster.
    static func create(_ path: String, _ system: FileSystem) throws(FileError) -> SpoolLock {
        let file = try system.open(path, for: .create)
        guard try file.tryLock(.exclusive), try file.status().isLinked else { throw .locked(path) }
        return SpoolLock(file: file, system: system)
    }

    /// Takes over a dead owner's lock, or the one that files without a lock should have; nil if the owner lives.
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

    /// Lets others adopt what the lock guards. Closing the file is not enough: a child process that is just being
    /// started has a copy of its descriptor until it runs its own program, and the lock lives as long as the last copy.
    func abandon() { file.unlock() }
}
