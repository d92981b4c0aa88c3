#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The system calls of a spool, with their errors as values.
enum SystemFile {
    static func message(of code: Int32) -> String { String(cString: strerror(code)) }

    /// Whether an error is the file's own: a link, a directory, something too large.
    static func isLasting(_ code: Int32) -> Bool { [ELOOP, EISDIR, EFBIG, ENXIO, EPERM].contains(code) }

    static func isMissing(_ code: Int32) -> Bool { code == ENOENT }

    /// Opens a file that only this user may use; a symbolic link in its place is an error.
    static func open(_ path: String, creating isNew: Bool, exclusively: Bool = true) throws(SpoolError) -> Int32 {
        let creation = isNew ? O_CREAT | (exclusively ? O_EXCL : 0) : 0
        let descriptor = retrying {
            #if canImport(Darwin)
            Darwin.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | creation, 0o600)
            #elseif canImport(Glibc)
            Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | creation, 0o600)
            #elseif canImport(Musl)
            Musl.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | creation, 0o600)
            #else
            Android.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | creation, 0o600)
            #endif
        }
        guard descriptor >= 0 else { throw SpoolError(operation: "open", path: path, code: errno) }
        return descriptor
    }

    static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

    static func remove(_ path: String) { _ = unlink(path) }

    static func move(_ path: String, to other: String) throws(SpoolError) {
        guard rename(path, other) == 0 else { throw SpoolError(operation: "rename", path: path, code: errno) }
    }

    /// Reserves the file's blocks, so that writing to its pages can never fail for want of space.
    static func allocate(_ descriptor: Int32, bytes: Int, path: String) throws(SpoolError) {
        #if canImport(Darwin)
        var request = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(bytes),
            fst_bytesalloc: 0)
        guard retrying({ fcntl(descriptor, F_PREALLOCATE, &request) }) >= 0, ftruncate(descriptor, off_t(bytes)) == 0 else {
            throw SpoolError(operation: "allocate", path: path, code: errno)
        }
        #else
        var code: Int32 = 0
        repeat { code = posix_fallocate(descriptor, 0, off_t(bytes)) } while code == EINTR
        guard code == 0 else { throw SpoolError(operation: "allocate", path: path, code: code) }
        #endif
    }

    /// Maps a file's bytes for reading and writing; they outlive the process that writes them.
    static func map(_ descriptor: Int32, bytes: Int, path: String) throws(SpoolError) -> UnsafeMutableRawBufferPointer {
        let start = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let start, start != MAP_FAILED else { throw SpoolError(operation: "mmap", path: path, code: errno) }
        return UnsafeMutableRawBufferPointer(start: start, count: bytes)
    }

    static func unmap(_ bytes: UnsafeMutableRawBufferPointer) { munmap(bytes.baseAddress, bytes.count) }

    /// Takes the lock that dies with the descriptor; false if another descriptor has it.
    static func lock(_ descriptor: Int32) -> Bool { retrying { flock(descriptor, LOCK_EX | LOCK_NB) } == 0 }

    /// Gives the lock back, also where a copy of the descriptor remains.
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Whether the open file still has its name.
    static func hasName(_ descriptor: Int32) -> Bool {
        var information = stat()
        return fstat(descriptor, &information) == 0 && information.st_nlink > 0
    }

    /// Which file is open, whatever its name.
    struct Identity: Sendable, Equatable {
        fileprivate let device: UInt64
        fileprivate let node: UInt64
    }

    static func identity(of descriptor: Int32) -> Identity? {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { return nil }
        return Identity(
            device: UInt64(truncatingIfNeeded: information.st_dev), node: UInt64(truncatingIfNeeded: information.st_ino))
    }

    /// Why other users can change what is in a directory; nil if they cannot.
    static func exposure(ofDirectory path: String) -> String? {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        if information.st_uid != geteuid() { return "it belongs to another user" }
        return information.st_mode & 0o022 == 0 ? nil : "its permissions let others write"
    }

    /// Writes a new file.
    static func create(_ path: String, with bytes: UnsafeRawBufferPointer) throws(SpoolError) {
        let descriptor = try open(path, creating: true)
        defer { closeFile(descriptor) }
        var count = 0
        while count < bytes.count, let base = bytes.baseAddress {
            let step = retrying { pwrite(descriptor, base + count, bytes.count - count, off_t(count)) }
            if step <= 0 {
                let code = step < 0 ? errno : EIO
                remove(path)
                throw SpoolError(operation: "write", path: path, code: code)
            }
            count += step
        }
    }

    /// Reads a whole regular file of this user's, of at most so many bytes.
    static func read(_ descriptor: Int32, path: String, atMost limit: Int) throws(SpoolError) -> UnsafeMutableRawBufferPointer {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw SpoolError(operation: "fstat", path: path, code: errno) }
        guard information.st_mode & S_IFMT == S_IFREG, information.st_size <= limit else {
            throw SpoolError(operation: "read", path: path, code: EFBIG)
        }
        guard information.st_uid == geteuid() else { throw SpoolError(operation: "read", path: path, code: EPERM) }
        let size = Int(information.st_size)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 16)
        var count = 0
        while count < size, let base = bytes.baseAddress {
            let step = retrying { pread(descriptor, base + count, size - count, off_t(count)) }
            if step < 0 {
                let code = errno
                bytes.deallocate()
                throw SpoolError(operation: "read", path: path, code: code)
            }
            if step == 0 { break }
            count += step
        }
        (bytes.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped)
            .advanced(by: count).initializeMemory(as: UInt8.self, repeating: 0, count: bytes.count - count)
        return bytes
    }

    private static func retrying<Value: SignedInteger>(_ call: () -> Value) -> Value {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
