/// Mutual exclusion between processes, and between stores in one process; waiting for it blocks no thread.
///
/// The lock belongs to an open file and ends with it, even when the process is killed; the file itself stays. A waiter holds
/// the directory's lock while it waits, and every waiter needs that lock first: a holder that has just released the file's
/// lock cannot take it again before the waiters.
package final class FileLock: Sendable {
    /// How long to wait for a lock: a holder needs about a millisecond, or some seconds if the disk is busy.
    package static let timeout: Duration = .seconds(10)
    private static let longestDelay: Duration = .milliseconds(5)

    private let file: OpenFile

    private init(file: OpenFile) { self.file = file }

    /// Closing is not enough: a child process being started has a copy of the descriptor, and with it the lock.
    deinit { file.unlock() }

    /// Waits for the lock of the path and takes it. Cancellation does not shorten the wait.
    ///
    /// Runs on the caller's actor, even after a wait: the code that follows the call runs without a suspension while the lock is
    /// held, so that no process waits for a holder whose threads are all busy.
    /// - Throws: An error with ``FileError/isLocked`` if the lock is not available within the timeout.
    nonisolated(nonsending) package static func acquire(
        _ path: String, system: FileSystem, timeout: Duration = timeout
    ) async throws(FileError) -> FileLock {
        let file = try system.open(path, for: .update)
        // In a shared directory, another user's file of this name could block this process indefinitely.
        guard try file.status().owner == system.user else { throw FileError.foreign(path) }
        var rest = timeout
        let turnstile = try await turnstile(of: path, system, &rest)
        defer { turnstile?.unlock() }
        try await wait(for: file, system, &rest)
        return FileLock(file: file)
    }

    /// The locked directory. Nil if directories cannot be locked, as on some network file systems, or if other users could lock
    /// it; then waiters take the file's lock in any order.
    nonisolated(nonsending) private static func turnstile(
        of path: String, _ system: FileSystem, _ rest: inout Duration
    ) async throws(FileError) -> OpenFile? {
        guard let directory = try? system.open(FileSystem.directory(of: path), for: .readThroughLinks),
            let status = try? directory.status(), status.owner == system.user, status.isPrivate
        else { return nil }
        do throws(FileError) { try await wait(for: directory, system, &rest) } catch {
            guard error.isLocked else { return nil }
            throw error
        }
        return directory
    }

    nonisolated(nonsending) private static func wait(for file: OpenFile, _ system: FileSystem, _ rest: inout Duration)
        async throws(FileError)
    {
        var delay = Duration.microseconds(100)
        while try !file.tryLock(.exclusive) {
            guard rest > .zero else { throw FileError.locked(file.path) }
            await sleep(for: delay, system.clock)
            rest -= delay
            delay = min(delay * 2, longestDelay)
        }
    }

    /// Sleeps in a new task if the current one is cancelled: a cancelled task still stores its data.
    nonisolated(nonsending) private static func sleep(for delay: Duration, _ clock: any Clock<Duration>) async {
        do { try await clock.sleep(for: delay) } catch { await Task { try? await clock.sleep(for: delay) }.value }
    }
}
