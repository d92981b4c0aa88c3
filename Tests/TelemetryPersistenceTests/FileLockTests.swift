#if os(Linux)
import Foundation
import Testing

@testable import TelemetryPersistence

struct FileLockTests {
    @Test("A child process that is being started while a store holds its lock does not keep it")
    func inheritedDescriptor() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        // Between fork and exec a child has every descriptor of its parent, also those that exec will close.
        let inherited = try FileLock.holding(path) { try openDescriptors(of: path).map { dup($0) } }
        defer { for descriptor in inherited { close(descriptor) } }
        #expect(inherited.count == 1)
        let other = open(path, O_RDWR)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    @Test("Whoever waits for a lock goes before somebody who has just given it back and wants it again")
    func inTurn() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "locks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "lock").path
        try FileLock.holding(path) {}
        // As another process does that waits.
        let waiting = open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(waiting) }
        #expect(flock(waiting, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: FileSystemError.self) { try FileLock.holding(path, attempts: 3) {} }
        #expect(flock(waiting, LOCK_UN) == 0)
        try FileLock.holding(path, attempts: 3) {}
        // While the lock is held, nobody waits: the way is free for one who will.
        try FileLock.holding(path) { #expect(flock(waiting, LOCK_EX | LOCK_NB) == 0) }
    }

    private func openDescriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target == path ? Int32(name) : nil
        }
    }
}
#endif
