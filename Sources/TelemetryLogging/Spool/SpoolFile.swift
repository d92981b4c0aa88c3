import Synchronization

/// A segment's file.
///
/// The one that is written to is locked itself, so that its owner is known to run even where somebody removed the owner's lock.
/// Sealed ones are not: a process has few descriptors.
final class SpoolFile: Sendable {
    let path: String
    private let owner: SpoolLock
    /// How many segments have their events in the file.
    private let uses: Atomic<Int>
    private let identity: SystemFile.Identity?
    /// Holds the file's own lock; negative while nobody does.
    private let descriptor: Mutex<Int32>

    /// - Parameters:
    ///   - descriptor: The open file, which is locked.
    ///   - uses: After so many calls of ``remove()`` the file goes.
    init(path: String, owner: SpoolLock, descriptor: Int32 = -1, uses: Int = 1) {
        self.path = path
        self.owner = owner
        self.uses = Atomic(uses)
        identity = descriptor >= 0 ? SystemFile.identity(of: descriptor) : nil
        self.descriptor = Mutex(descriptor)
        owner.retain()
    }

    deinit { unlock() }

    /// Ends a use; the last one removes the file. Its pages stay readable for who has them mapped.
    func remove() {
        guard uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        SystemFile.remove(path)
        unlock()
        owner.release()
    }

    /// Leaves the file, and all others of its owner, to whoever adopts them; from now on nothing is written to them.
    func abandon() {
        owner.abandon()
        unlock()
    }

    /// Locks the file; false if it is no longer the one under its name, or somebody else has locked it.
    func lock() -> Bool {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { return true }
            guard let opened = try? SystemFile.open(path, creating: false) else { return false }
            guard SystemFile.lock(opened), SystemFile.identity(of: opened) == identity else {
                SystemFile.closeFile(opened)
                return false
            }
            descriptor = opened
            return true
        }
    }

    /// Gives the file's own lock back. Closing the descriptor is not enough, as with ``SpoolLock/abandon()``.
    func unlock() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            SystemFile.unlock(descriptor)
            SystemFile.closeFile(descriptor)
            descriptor = -1
        }
    }
}
