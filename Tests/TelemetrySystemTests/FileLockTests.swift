import Foundation
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

struct FileLockTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.url.appending(path: "lock").path }

    /// Creates a private directory; in others, the order of waiting processes is not kept.
    init() throws { try FileSystem().makeDirectory(directory.url.path) }

    #if os(Linux)
    @Test("A child process that inherits a lock's descriptor does not keep the lock")
    func inheritedDescriptor() async throws {
        // Between fork and exec a child has all descriptors of its parent, including those that exec closes.
        var lock: FileLock? = try await FileLock.acquire(path, system: FileSystem())
        let inherited = try openDescriptors(of: path).map { dup($0) }
        defer { for descriptor in inherited { close(descriptor) } }
        #expect(lock != nil)
        lock = nil
        #expect(inherited.count == 1)
        _ = try await FileLock.acquire(path, system: FileSystem(), timeout: .zero)
    }

    private func openDescriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target == path ? Int32(name) : nil
        }
    }
    #endif

    @Test("A held lock is tried until the timeout of the injected clock, and no thread is blocked", .timeLimit(.minutes(10)))
    func timeout() async throws {
        let clock = ManualClock()
        let held = try await FileLock.acquire(path, system: FileSystem())
        let waiting = Task { () throws(FileError) in
            try await FileLock.acquire(path, system: FileSystem(clock: clock), timeout: .milliseconds(20))
        }
        // Nine delays that double from 0.1 ms up to 5 ms exceed 20 ms; a blocked thread would never reach this.
        for _ in 0..<9 {
            await clock.sleepers()
            clock.advance(by: .milliseconds(5))
        }
        await #expect(throws: FileError.self) { _ = try await waiting.value }
        withExtendedLifetime(held) {}
    }

    @Test("A task that is cancelled while it waits for a lock still gets the lock")
    func cancelled() async throws {
        var held: FileLock? = try await FileLock.acquire(path, system: FileSystem())
        let waiting = Task { () throws(FileError) in try await FileLock.acquire(path, system: FileSystem()) }
        waiting.cancel()
        #expect(held != nil)
        held = nil
        _ = try await waiting.value
    }

    @Test("A process that waits for a lock gets it before the one that has just released it")
    func inTurn() async throws {
        _ = try await FileLock.acquire(path, system: FileSystem())
        // As another process that waits does.
        let waiting = open(directory.url.path, O_RDONLY | O_DIRECTORY)
        defer { close(waiting) }
        #expect(flock(waiting, LOCK_EX | LOCK_NB) == 0)
        await #expect(throws: FileError.self) {
            _ = try await FileLock.acquire(path, system: FileSystem(), timeout: .milliseconds(1))
        }
        #expect(flock(waiting, LOCK_UN) == 0)
        let lock = try await FileLock.acquire(path, system: FileSystem(), timeout: .zero)
        // While the lock is held and no process waits, the turnstile is free.
        #expect(flock(waiting, LOCK_EX | LOCK_NB) == 0)
        withExtendedLifetime(lock) {}
    }

    @Test("Concurrent changes of a file under its lock are all kept")
    func exclusion() async throws {
        let file = directory.url.appending(path: "count")
        try Data("0".utf8).write(to: file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    let lock = try await FileLock.acquire(path, system: FileSystem())
                    let count = try Int(String(contentsOf: file, encoding: .utf8)) ?? 0
                    await Task.yield()
                    try Data("\(count + 1)".utf8).write(to: file)
                    withExtendedLifetime(lock) {}
                }
            }
            try await group.waitForAll()
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "40")
    }
}
