#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// The kernel's reports of changes in directories, which are read when a caller asks for them.
///
/// A change is reported before the system call that makes it returns, so a report that is taken afterwards includes it. Writes to
/// mapped memory are not reported.
package final class DirectoryReports {
    package struct Report {
        /// The entries that were added, replaced, removed or written to, except temporary ones.
        package var names: Set<String> = []
        /// Whether nothing changed, temporary entries included.
        package var isEmpty = true
    }

    #if canImport(Darwin)
    // Darwin reports that a directory changed, but not the names of the entries.
    package init?(system: FileSystem) { nil }
    package func isWatched(_ path: String) -> Bool { false }
    package func watch(_ path: String) -> Bool { false }
    package func stop(_ path: String) {}
    package func take(_ path: String) -> Report? { nil }
    #else
    /// The maximum number of names that are kept for a directory; with more, reading the directory is faster.
    private static let nameLimit = 20_000
    /// The maximum number of reads at once, so that a process that changes a directory without a pause cannot keep the caller busy.
    private static let readLimit = 256
    private static let mask =
        [
            IN_CREATE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE, IN_MODIFY, IN_DELETE_SELF, IN_MOVE_SELF, IN_ONLYDIR, IN_DONT_FOLLOW,
        ].reduce(0) { $0 | UInt32($1) }
    /// After these, the directory at the path may be another one.
    private static let endMask = [IN_IGNORED, IN_UNMOUNT, IN_DELETE_SELF, IN_MOVE_SELF].reduce(0) { $0 | UInt32($1) }

    private let system: FileSystem
    private let descriptor: Int32
    private var numbers: [String: Int32] = [:]
    private var reports: [Int32: Report] = [:]

    /// Nil if the system has no notifications left.
    package init?(system: FileSystem) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        (self.system, self.descriptor) = (system, descriptor)
    }

    deinit { _ = close(descriptor) }

    package func isWatched(_ path: String) -> Bool { numbers[path] != nil }

    /// Begins to collect reports of a directory, unless its changes may not be reported. Changes of the past are not.
    package func watch(_ path: String) -> Bool {
        stop(path)
        guard let before = try? system.status(path), MountTable(system).isLocal(device: before.device),
            let number = try? system.call(.watch, path, { inotify_add_watch(descriptor, path, Self.mask) }),
            // A number that is known is that of the same directory under another path.
            reports[number] == nil
        else { return false }
        (numbers[path], reports[number]) = (number, Report())
        // Otherwise the path may have been another directory's for a moment.
        if let after = try? system.status(path), after.identity == before.identity { return true }
        stop(path)
        return false
    }

    package func stop(_ path: String) {
        guard let number = numbers.removeValue(forKey: path) else { return }
        reports[number] = nil
        _ = inotify_rm_watch(descriptor, number)
    }

    /// What was reported since the last call; nil if the directory is not watched, or reports were lost.
    package func take(_ path: String) -> Report? {
        guard isWatched(path) else { return nil }
        read()
        return numbers[path].flatMap { reports.updateValue(Report(), forKey: $0) }
    }

    private func read() {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
            for _ in 0..<Self.readLimit {
                let count = systemRead(descriptor, buffer)
                if count > 0 {
                    add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                } else if errno == EWOULDBLOCK {
                    return
                } else if errno != EINTR {
                    break
                }
            }
            stopAll()
        }
    }

    /// Adds the kernel's records: the watch's number, the kind of change, a number, the size of the name, and the name.
    private func add(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start + 16 <= bytes.count {
            let number = bytes.loadUnaligned(fromByteOffset: start, as: Int32.self)
            let kind = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
            let size = Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
            guard size <= bytes.count - start - 16 else { return stopAll() }
            let name = bytes[start + 16..<start + 16 + size].prefix { $0 != 0 }
            start += 16 + size
            if kind & UInt32(IN_Q_OVERFLOW) != 0 {
                stopAll()
            } else if kind & Self.endMask != 0 || reports[number].map({ $0.names.count >= Self.nameLimit }) == true {
                if let path = numbers.first(where: { $0.value == number })?.key { stop(path) }
            } else {
                reports[number]?.isEmpty = false
                if let first = name.first, first != UInt8(ascii: "-") {
                    reports[number]?.names.insert(String(decoding: name, as: UTF8.self))
                }
            }
        }
    }

    private func stopAll() { for path in numbers.keys { stop(path) } }
    #endif
}

#if !canImport(Darwin)
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}
#endif
