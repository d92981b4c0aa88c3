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
    static func isLasting(_ code: Int32) -> Bool { [ELOOP, EISDIR, EFBIG, ENXIO].contains(code) }

    static func isMissing(_ code: Int32) -> Bool { code == ENOENT }

    /// Opens a file that only this user may use; a symbolic link in its place is an error.
    static func open(_ path: String, creating isNew: Bool, exclusively: Bool = true) throws(SpoolError) -> Int32 {
        let creation = isNew ? O_CREAT | (exclusively ? O_EXCL : 0) : 0
        let descriptor = retrying {
            #if canImport(Darwin)
            Darwin.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | creation, 0o600)
            #elseif canImport(Glibc)
            Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | creation, 0o600)
            #elseif canImport(Musl)
            Musl.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | creation, 0o600)
            #else
            Android.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | creation, 0o600)
            #endif
        }
        guard descriptor >= 0 else { throw SpoolError(operation: "open", path: path, code: errno) }
        return descriptor
    }

    static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

    static func remove(_ path: String) { _ = unlink(path) }

    /// Gives back what is behind so many bytes; a file that cannot be cut stays as it is.
    static func truncate(_ path: String, bytes: Int) {
        guard let descriptor = try? open(path, creating: false) else { return }
        _ = ftruncate(descriptor, off_t(bytes))
        closeFile(descriptor)
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

    /// Reads a whole regular file of at most so many bytes.
    static func read(_ path: String, atMost limit: Int) throws(SpoolError) -> UnsafeMutableRawBufferPointer {
        let descriptor = try open(path, creating: false)
        defer { closeFile(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw SpoolError(operation: "fstat", path: path, code: errno) }
        guard information.st_mode & S_IFMT == S_IFREG, information.st_size <= limit else {
            throw SpoolError(operation: "read", path: path, code: EFBIG)
        }
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
