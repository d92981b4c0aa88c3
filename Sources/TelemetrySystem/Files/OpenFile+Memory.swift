#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// Memory-mapped files.
extension OpenFile {
    /// Reserves the file's blocks, so that writing to its pages cannot fail for lack of space.
    package func allocate(bytes: Int) throws(FileError) {
        #if canImport(Darwin)
        var request = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0, fst_length: off_t(bytes),
            fst_bytesalloc: 0)
        try call(.write) { fcntl($0, F_PREALLOCATE, &request) }
        try call(.truncate) { ftruncate($0, off_t(bytes)) }
        #else
        try call(.write) { descriptor in
            // posix_fallocate returns the error instead of setting errno.
            let code = posix_fallocate(descriptor, 0, off_t(bytes))
            errno = code
            return code == 0 ? 0 : -1
        }
        #endif
    }

    /// Maps the file's first bytes for reading and writing; written bytes survive the process.
    ///
    /// They stay mapped when the file is closed, until ``unmap(_:)``.
    package func map(bytes: Int) throws(FileError) -> UnsafeMutableRawBufferPointer {
        var start: UnsafeMutableRawPointer?
        try call(.write) { descriptor in
            start = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            return start == nil || start == MAP_FAILED ? -1 : 0
        }
        return UnsafeMutableRawBufferPointer(start: start, count: bytes)
    }

    package static func unmap(_ bytes: UnsafeMutableRawBufferPointer) { munmap(bytes.baseAddress, bytes.count) }

    /// The content of a regular file of this user, of at most `limit` bytes. A failure for another kind of file is permanent.
    package func content(limit: Int) throws(FileError) -> [UInt8] {
        let status = try status()
        guard status.isRegularFile, let size = MemorySize.whole(status.size, atMost: limit) else {
            throw FileError(.read, path, errno: EFBIG)
        }
        guard status.owner == system.user else { throw FileError(.read, path, errno: EPERM) }
        return try read(at: 0, count: size)
    }
}
