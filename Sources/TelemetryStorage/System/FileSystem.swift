#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The calls that the file store makes of the system: the seam at which a test lets them fail.
package struct FileSystem: Sendable {
    /// Asked before every call; a number that it returns is the call's failure, without the call being made.
    package typealias Fault = @Sendable (FileOperation, _ path: String) -> Int32?

    private let fault: Fault?
    /// Told of how many bytes each read asks for.
    package let readObserver: (@Sendable (_ path: String, _ byteCount: Int) -> Void)?
    /// Seconds since 1970 now, which files' ages are counted from.
    package let now: @Sendable () -> Int64
    /// Seconds since some moment of this run of the operating system, counted on while the machine sleeps; no clock that is set.
    package let uptime: @Sendable () -> Int64
    /// Which run of the operating system this is.
    package let boot: UInt64
    /// Measures the waits for locks.
    package let clock: any Clock<Duration>
    /// The number of the user that this process acts for.
    package let user: UInt32

    package init(
        fault: Fault? = nil, now: (@Sendable () -> Int64)? = nil, uptime: (@Sendable () -> Int64)? = nil,
        boot: UInt64 = SystemBoot.number, clock: any Clock<Duration> = ContinuousClock(), user: UInt32 = UInt32(geteuid()),
        readObserver: (@Sendable (_ path: String, _ byteCount: Int) -> Void)? = nil
    ) {
        self.fault = fault
        self.now = now ?? { Int64(time(nil)) }
        // A test that sets the date alone lets that much time pass.
        self.uptime = uptime ?? now ?? { SystemBoot.uptime }
        self.boot = boot
        self.clock = clock
        self.user = user
        self.readObserver = readObserver
    }

    package enum Access {
        case read
        /// For reading what a symbolic link leads to, too.
        case readThroughLinks
        /// For reading and for appending; made where it is missing.
        case append
        /// For reading and for writing anywhere; made where it is missing.
        case update
        /// For writing; must not exist.
        case create
        /// For writing; must exist.
        case write
    }

    package func open(_ path: String, for access: Access) throws(FileError) -> OpenFile {
        let flags: Int32 =
            switch access {
            // Without O_NONBLOCK, opening a pipe that somebody put there would wait for its writer.
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

    /// Returns whether it was made; false where it is there already.
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

    /// Gives the file a second name; fails with EEXIST where that name is taken.
    package func link(_ path: String, to other: String) throws(FileError) {
        _ = try call(.rename, other) { systemLink(path, other) }
    }

    /// Removes a file; one that is not there is no error.
    package func remove(_ path: String) throws(FileError) {
        do { _ = try call(.remove, path) { unlink(path) } } catch  where error.errno == ENOENT {}
    }

    package func removeDirectory(_ path: String) throws(FileError) {
        do { _ = try call(.remove, path) { rmdir(path) } } catch  where error.errno == ENOENT {}
    }

    package func setMode(_ path: String, _ mode: UInt32) throws(FileError) {
        _ = try call(.write, path) { chmod(path, mode_t(mode)) }
    }

    /// Sets when a file's content was changed last, in seconds since 1970.
    package func setModified(_ path: String, _ seconds: Int64) throws(FileError) {
        let time = timespec(tv_sec: time_t(seconds), tv_nsec: 0)
        _ = try call(.write, path) {
            withUnsafePointer(to: (time, time)) { times in
                times.withMemoryRebound(to: timespec.self, capacity: 2) { utimensat(AT_FDCWD, path, $0, AT_SYMLINK_NOFOLLOW) }
            }
        }
    }

    /// The names in a directory, in no order, without the two that every directory has.
    package func list(_ path: String) throws(FileError) -> [String] {
        try check(.list, path)
        guard let directory = opendir(path) else { throw FileError(.list, path, errno: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The names of the directories in a directory, in order: a file that somebody else put there is passed over.
    package func directories(in path: String) throws(FileError) -> [String] {
        var names: [String] = []
        for name in try list(path) where try status("\(path)/\(name)")?.isDirectory == true { names.append(name) }
        return names.sorted()
    }

    /// The file's status, or nil where there is none.
    package func status(_ path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        do {
            _ = try call(.status, path) { lstat(path, &status) }
        } catch  where error.isNotFound { return nil }
        return FileStatus(status)
    }

    /// Makes what was renamed, linked or removed in the directory last.
    package func synchronizeDirectory(_ path: String) throws(FileError) {
        try open(path, for: .read).synchronize()
    }

    /// What is found in the place of a file that is small.
    package enum SmallFile {
        case missing
        case content([UInt8], of: OpenFile)
        /// Something that is not to be read: too large, or no file.
        case unusable(reason: String, OpenFile?)
    }

    /// The content of a file of at most so many bytes.
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
        guard status.size <= UInt64(limit) else {
            return .unusable(reason: "has \(status.size) bytes, more than the \(limit) that it may have", file)
        }
        // Files that the system makes up have no size until they are read.
        return .content(try file.read(at: 0, count: status.size == 0 ? 4_096 : Int(status.size)), of: file)
    }

    /// Makes the call again as often as a signal interrupts it.
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
