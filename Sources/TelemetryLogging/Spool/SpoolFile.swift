import Synchronization
import TelemetryStorage

/// A segment's file.
///
/// The one that is written to is locked itself, so that its owner is known to run even where somebody removed the owner's lock.
/// Sealed ones are not: a process has few descriptors.
final class SpoolFile: Sendable {
    let path: String
    private let owner: SpoolLock
    private let system: FileSystem
    /// How many segments have their events in the file.
    private let uses: Atomic<Int>
    private let identity: FileStatus.Identity?
    /// Holds the file's own lock; nil while nobody does.
    private let locked: Mutex<OpenFile?>

    /// - Parameters:
    ///   - file: The open file, which is locked.
    ///   - uses: After so many calls of ``remove()`` the file goes.
    init(path: String, owner: SpoolLock, system: FileSystem, file: OpenFile? = nil, uses: Int = 1) {
        self.path = path
        self.owner = owner
        self.system = system
        self.uses = Atomic(uses)
        identity = try? file?.status().identity
        locked = Mutex(file)
        owner.retain()
    }

    deinit { unlock() }

    /// Ends a use; the last one removes the file. Its pages stay readable for who has them mapped.
    func remove() {
        guard uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        try? system.remove(path)
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
        locked.withLock { locked in
            if locked != nil { return true }
            guard let file = try? system.open(path, for: .write), (try? file.tryLock(.exclusive)) == true,
                (try? file.status().identity) == identity
            else { return false }
            locked = file
            return true
        }
    }

    /// Gives the file's own lock back. Closing the file is not enough, as with ``SpoolLock/abandon()``.
    func unlock() {
        locked.withLock { locked in
            locked?.unlock()
            locked = nil
        }
    }
}
