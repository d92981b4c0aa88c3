import Synchronization

/// Says that the files of one owner are in use: a file that is locked for as long as the owner's process lives.
///
/// It goes when the last file that it guards is removed; where files remain, it remains with them for whoever adopts them.
final class SpoolLock: Sendable {
    private let path: String
    private let descriptor: Int32
    private let uses = Atomic<Int>(1)

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        abandon()
        SystemFile.closeFile(descriptor)
    }

    /// Makes a new owner's lock.
    static func create(_ path: String) throws(SpoolError) -> SpoolLock {
        let descriptor = try SystemFile.open(path, creating: true)
        // Whoever looks for dead owners just now may have been faster: then the file is theirs to remove.
        guard SystemFile.lock(descriptor), SystemFile.hasName(descriptor) else {
            SystemFile.closeFile(descriptor)
            throw SpoolError(operation: "lock", path: path, code: 0)
        }
        return SpoolLock(path: path, descriptor: descriptor)
    }

    /// Takes over a dead owner's lock, or the one that files without a lock should have; nil if the owner lives.
    static func adopt(_ path: String) throws(SpoolError) -> SpoolLock? {
        let descriptor = try SystemFile.open(path, creating: true, exclusively: false)
        guard SystemFile.lock(descriptor), SystemFile.hasName(descriptor) else {
            SystemFile.closeFile(descriptor)
            return nil
        }
        return SpoolLock(path: path, descriptor: descriptor)
    }

    func retain() { uses.add(1, ordering: .relaxed) }

    /// Ends a use; the last one removes the lock.
    func release() {
        if uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { SystemFile.remove(path) }
    }

    /// Lets others adopt what the lock guards. Closing the descriptor is not enough: a child process that is just being
    /// started has a copy of it until it runs its own program, and the lock lives as long as the last copy.
    func abandon() { SystemFile.unlock(descriptor) }
}
