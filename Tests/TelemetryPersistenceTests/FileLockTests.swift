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

    private func openDescriptors(of path: String) throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target == path ? Int32(name) : nil
        }
    }
}
#endif
