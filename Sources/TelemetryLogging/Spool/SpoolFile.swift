import Synchronization
import TelemetrySystem

/// A segment's file.
///
/// The file that is written to is locked itself, so that its owner counts as running even if the owner's lock was deleted.
/// Sealed files are not locked, because the number of descriptors is limited.
final class SpoolFile: Sendable {
    let path: String
    private let owner: SpoolLock
    private let system: FileSystem
    /// The number of segments whose events are in the file.
    private let uses: Atomic<Int>
    private let identity: FileStatus.Identity?
    /// The open file that holds the file's own lock; nil if it is not locked.
    private let locked: Mutex<OpenFile?>

    /// - Parameters:
    ///   - file: The open file, which is locked.
    ///   - uses: The number of calls of ``remove()`` after which the file is removed.
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

    /// Ends a use; the last one removes the file. Mapped pages stay readable.
    func remove() {
        guard uses.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        try? system.remove(path)
        unlock()
        owner.release()
    }

    /// Lets others adopt the file and all other files of its owner. They must not be written to from now on.
    func abandon() {
        owner.abandon()
        unlock()
    }

    /// Locks the file; false if its path has another file or another process has locked it.
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

    /// Releases the file's own lock. Closing the file is not enough; see ``SpoolLock/abandon()``.
    func unlock() {
        locked.withLock { locked in
            locked?.unlock()
            locked = nil
        }
    }
}
