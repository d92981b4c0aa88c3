#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// The system calls of the file store, which a test can make fail.
package struct FileSystem: Sendable {
    /// Called before every system call; a returned error number fails the call without making it.
    package typealias Fault = @Sendable (FileOperation, _ path: String) -> Int32?

    private let fault: Fault?
    /// Called with the byte count of each read.
    package let readObserver: (@Sendable (_ path: String, _ byteCount: Int) -> Void)?
    /// The current time in seconds since 1970, to compute the age of files.
    package let now: @Sendable () -> Int64
    /// Seconds since a fixed point of this system boot, including sleep; never adjusted.
    package let uptime: @Sendable () -> Int64
    /// Identifies the system boot.
    package let boot: UInt64
    /// Measures the waits for locks.
    package let clock: any Clock<Duration>
    /// The effective user ID of the process.
    package let user: UInt32

    package init(
        fault: Fault? = nil, now: (@Sendable () -> Int64)? = nil, uptime: (@Sendable () -> Int64)? = nil,
        boot: UInt64 = SystemBoot.number, clock: any Clock<Duration> = ContinuousClock(), user: UInt32 = UInt32(geteuid()),
        readObserver: (@Sendable (_ path: String, _ byteCount: Int) -> Void)? = nil
    ) {
        self.fault = fault
        self.now = now ?? { Int64(time(nil)) }
        // In a test that sets only the date, the uptime advances with it.
        self.uptime = uptime ?? now ?? { SystemBoot.uptime }
        self.boot = boot
        self.clock = clock
        self.user = user
        self.readObserver = readObserver
    }

    package enum Access {
        case read
        /// For reading, following symbolic links.
        case readThroughLinks
        /// For reading and for appending; created if missing.
        case append
        /// For reading and for writing at any offset; created if missing.
        case update
        /// For writing; must not exist.
        case create
        /// For writing; must exist.
        case write
    }

    package func open(_ path: String, for access: Access) throws(FileError) -> OpenFile {
        let flags: Int32 =
            switch access {
            // Without O_NONBLOCK, opening a named pipe would wait for its writer.
            case .read, .readThroughLinks: O_RDONLY | O_NONBLOCK
            case .append: O_RDWR | O_CREAT | O_APPEND
            case .update: O_RDWR | O_CREAT
            case .create: O_RDWR | O_CREAT | O_EXCL
            case .write: O_RDWR
            }
        let descriptor = try call(.open, path) {
            systemOpen(path, flags | O_CLOEXEC | (access == .readThroughLinks ? 0 : O_NOFOLLOW), 0o600)
        }
        return OpenFile(descriptor: descriptor, path: path, system: self)
    }

    /// Returns whether it was created; false if it exists.
    @discardableResult
    package func makeDirectory(_ path: String) throws(FileError) -> Bool {
        do {
            _ = try call(.makeDirectory, path) { mkdir(path, 0o700) }
            return true
        } catch  where error.errno == EEXIST { return false }
    }

    package func rename(_ path: String, to other: String) throws(FileError) {
        _ = try call(.rename, other) { systemRename(path, other) }
    }

    /// Gives the file a second name; fails with EEXIST if that name exists.
    package func link(_ path: String, to other: String) throws(FileError) {
        _ = try call(.rename, other) { systemLink(path, other) }
    }

    /// Removes a file; a missing file is not an error.
    package func remove(_ path: String) throws(FileError) {
        do { _ = try call(.remove, path) { unlink(path) } } catch  where error.errno == ENOENT {}
    }

    package func removeDirectory(_ path: String) throws(FileError) {
        do { _ = try call(.remove, path) { rmdir(path) } } catch  where error.errno == ENOENT {}
    }

    /// Sets the modification date of a file, in seconds since 1970.
    package func setModified(_ path: String, _ seconds: Int64) throws(FileError) {
        // Where `time_t` has 32 bits, later dates become the last one that it can represent.
        let time = timespec(tv_sec: time_t(clamping: seconds), tv_nsec: 0)
        _ = try call(.write, path) {
            withUnsafePointer(to: (time, time)) { times in
                times.withMemoryRebound(to: timespec.self, capacity: 2) { utimensat(AT_FDCWD, path, $0, AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// The names in a directory, in no particular order, without `.` and `..`.
    package func list(_ path: String) throws(FileError) -> [String] { try entries(path).map(\.name) }

    /// The names of a directory's entries, and their inodes as the directory has them.
    package func entries(_ path: String) throws(FileError) -> [(name: String, inode: UInt64)] {
        try check(.list, path)
        guard let directory = opendir(path) else { throw FileError(.list, path, errno: errno) }
        defer { closedir(directory) }
        var entries: [(name: String, inode: UInt64)] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { entries.append((name, UInt64(entry.pointee.d_ino))) }
        }
        return entries
    }

    /// The sorted names of the subdirectories of a directory; files are skipped.
    package func directories(in path: String) throws(FileError) -> [String] {
        var names: [String] = []
        for name in try list(path) where try status("\(path)/\(name)")?.isDirectory == true { names.append(name) }
        return names.sorted()
    }

    /// The file's status, or nil if it does not exist.
    package func status(_ path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        do {
            _ = try call(.status, path) { lstat(path, &status) }
        } catch  where error.isNotFound { return nil }
        return FileStatus(status)
    }

    /// Makes renames, links and removals in the directory durable.
    package func synchronizeDirectory(_ path: String) throws(FileError) {
        try open(path, for: .read).synchronize()
    }

    /// The result of reading a small file.
    package enum SmallFile {
        case missing
        case content([UInt8], of: OpenFile)
        /// Not readable: too large, or not a regular file.
        case unusable(reason: String, OpenFile?)
    }

    /// The content of a file of at most `limit` bytes.
    package func smallFile(
        _ path: String, limit: Int, throughLinks: Bool = false
    ) throws(FileError) -> SmallFile {
        let file: OpenFile
        do { file = try open(path, for: throughLinks ? .readThroughLinks : .read) } catch {
            if error.isNotFound { return .missing }
            if error.isOtherThanFile { return .unusable(reason: "is not a regular file", nil) }
            throw error
        }
        let status = try file.status()
        guard status.isRegularFile else { return .unusable(reason: "is not a regular file", file) }
        guard let size = MemorySize.whole(status.size, atMost: limit) else {
            return .unusable(reason: "has \(status.size) bytes, more than the limit of \(limit)", file)
        }
        // Virtual files have no size until they are read.
        return .content(try file.read(at: 0, count: size == 0 ? 4_096 : size), of: file)
    }

    /// Repeats the call while a signal interrupts it.
    package func call(
        _ operation: FileOperation, _ path: String, _ body: () -> Int32
    ) throws(FileError) -> Int32 {
        try check(operation, path)
        while true {
            let result = body()
            if result >= 0 { return result }
            if errno != EINTR { throw FileError(operation, path, errno: errno) }
        }
    }

    package func check(_ operation: FileOperation, _ path: String) throws(FileError) {
        if let fault, let number = fault(operation, path) { throw FileError(operation, path, errno: number) }
    }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemRename(_ path: String, _ other: String) -> Int32 { rename(path, other) }
private func systemLink(_ path: String, _ other: String) -> Int32 { link(path, other) }
