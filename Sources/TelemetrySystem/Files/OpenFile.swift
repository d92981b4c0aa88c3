#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// An open file; closed with the last reference to it.
package final class OpenFile: Sendable {
    package let path: String
    private let descriptor: Int32
    let system: FileSystem

    package init(descriptor: Int32, path: String, system: FileSystem) {
        self.descriptor = descriptor
        self.path = path
        self.system = system
    }

    deinit { _ = close(descriptor) }

    package func status() throws(FileError) -> FileStatus {
        var status = stat()
        _ = try system.call(.status, path) { fstat(descriptor, &status) }
        return FileStatus(status)
    }

    /// Appends all the bytes, in one call if the system accepts them at once; bytes written before a failure stay.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
        try transfer(bytes) { start, count, _ in systemWrite(descriptor, start, count) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileError) {
        try transfer(bytes) { start, count, done in
            pwrite(descriptor, start, count, off_t(clamping: offset) + off_t(done))
        }
    }

    package func write(_ bytes: [UInt8]) throws(FileError) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileError) in try write(UnsafeRawBufferPointer(buffer)) }
    }

    /// Fills the buffer from `offset` and returns the number of bytes read; fewer at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileError) -> Int {
        try system.check(.read, path)
        system.readObserver?(path, buffer.count)
        var filled = 0
        while filled < buffer.count, let base = buffer.baseAddress {
            let result = pread(descriptor, base + filled, buffer.count - filled, off_t(clamping: offset) + off_t(filled))
            if result == 0 { break }
            if result > 0 { filled += result } else if errno != EINTR { throw FileError(.read, path, errno: errno) }
        }
        return filled
    }

    /// Up to `count` bytes from `offset`; fewer at the end of the file.
    package func read(at offset: UInt64, count: Int) throws(FileError) -> [UInt8] {
        var failure: FileError?
        // Memory is limited by the file's size, not by `count`.
        let count = try count <= 1 << 20 ? count : MemorySize.piece(from: offset, to: status().size, atMost: count)
        // An array without capacity is the shared empty one, whose count must not be set.
        guard count > 0 else { return [] }
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(FileError) { filled = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset) } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// The offset of the next bytes that are not a hole, from `offset`; beyond the end of the file if there are none.
    package func nextData(from offset: UInt64) throws(FileError) -> UInt64 {
        try system.check(.read, path)
        #if canImport(Darwin)
        let seekData: Int32 = 4
        #else
        let seekData: Int32 = 3
        #endif
        let found = lseek(descriptor, off_t(clamping: offset), seekData)
        // Not every file system supports holes.
        return found >= 0 ? UInt64(found) : errno == ENXIO ? .max : offset
    }

    package func truncate(to size: UInt64) throws(FileError) {
        _ = try system.call(.truncate, path) { ftruncate(descriptor, off_t(clamping: size)) }
    }

    package func setMode(_ mode: UInt32) throws(FileError) {
        _ = try system.call(.write, path) { fchmod(descriptor, mode_t(mode)) }
    }

    /// Waits until the content, and the metadata needed to read it, is on the disk.
    package func synchronize() throws(FileError) {
        #if canImport(Darwin)
        // Not every file system supports it; network file systems do not.
        _ = try system.call(.synchronize, path) {
            fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
        }
        #else
        _ = try system.call(.synchronize, path) { fdatasync(descriptor) }
        #endif
    }

    /// A call on the descriptor; see ``FileSystem/call(_:_:_:)``.
    func call(_ operation: FileOperation, _ body: (_ descriptor: Int32) -> Int32) throws(FileError) {
        _ = try system.call(operation, path) { body(descriptor) }
    }

    package enum LockKind { case shared, exclusive }

    /// Takes the file's advisory lock, or returns false if another holder has it. Never waits.
    package func tryLock(_ kind: LockKind) throws(FileError) -> Bool {
        do {
            _ = try system.call(.lock, path) { flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) }
            return true
        } catch  where error.errno == EWOULDBLOCK { return false }
    }

    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    private func transfer(
        _ bytes: UnsafeRawBufferPointer, _ step: (_ start: UnsafeRawPointer, _ count: Int, _ done: Int) -> Int
    ) throws(FileError) {
        try system.check(.write, path)
        guard let base = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let result = step(base + done, bytes.count - done, done)
            if result > 0 {
                done += result
            } else if result == 0 || errno != EINTR {
                throw FileError(.write, path, errno: result == 0 ? EIO : errno)
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
