#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// An open file; closed with the last reference to it.
final class OpenFile: Sendable {
    let path: String
    private let descriptor: Int32
    private let system: FileSystem

    init(descriptor: Int32, path: String, system: FileSystem) {
        self.descriptor = descriptor
        self.path = path
        self.system = system
    }

    deinit { _ = close(descriptor) }

    func status() throws(FileError) -> FileStatus {
        var status = stat()
        _ = try system.call(.status, path) { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// Writes all the bytes with one call where the system takes them at once; what it took before a failure stays written.
    func write(_ bytes: [UInt8]) throws(FileError) {
        try transfer(bytes.count, .write) { done in
            bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map { systemWrite(descriptor, $0 + done, buffer.count - done) } ?? 0
            }
        }
    }

    func write(_ bytes: [UInt8], at offset: UInt64) throws(FileError) {
        try transfer(bytes.count, .write) { done in
            bytes.withUnsafeBytes { buffer in
                buffer.baseAddress.map {
                    pwrite(descriptor, $0 + done, buffer.count - done, off_t(clamping: offset) + off_t(done))
                } ?? 0
            }
        }
    }

    /// Up to `count` bytes from `offset`; fewer where the file ends.
    func read(at offset: UInt64, count: Int) throws(FileError) -> [UInt8] {
        try system.check(.read, path)
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let result = pread(descriptor, base + filled, count - filled, off_t(clamping: offset) + off_t(filled))
                if result == 0 { break }
                if result > 0 {
                    filled += result
                } else if errno != EINTR {
                    failure = FileError(.read, path, errno: errno)
                    break
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    func truncate(to size: UInt64) throws(FileError) {
        _ = try system.call(.truncate, path) { ftruncate(descriptor, off_t(clamping: size)) }
    }

    func setMode(_ mode: UInt32) throws(FileError) {
        _ = try system.call(.write, path) { fchmod(descriptor, mode_t(mode)) }
    }

    /// Waits until the content, and what is needed to find it, is on the disk.
    func synchronize() throws(FileError) {
        #if canImport(Darwin)
        _ = try system.call(.synchronize, path) { fcntl(descriptor, F_FULLFSYNC) }
        #else
        _ = try system.call(.synchronize, path) { fdatasync(descriptor) }
        #endif
    }

    enum LockKind { case shared, exclusive }

    /// Takes the file's advisory lock, or returns false where somebody else holds it. Never waits.
    func tryLock(_ kind: LockKind) throws(FileError) -> Bool {
        do {
            _ = try system.call(.lock, path) { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch  where error.errno == EWOULDBLOCK { return false }
    }

    func unlock() { _ = flock(descriptor, LOCK_UN) }

    private func transfer(
        _ count: Int, _ operation: FileOperation, _ step: (_ done: Int) -> Int
    ) throws(FileError) {
        try system.check(operation, path)
        var done = 0
        while done < count {
            let result = step(done)
            if result > 0 {
                done += result
            } else if result == 0 {
                throw FileError(operation, path, errno: EIO)
            } else if errno != EINTR {
                throw FileError(operation, path, errno: errno)
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
