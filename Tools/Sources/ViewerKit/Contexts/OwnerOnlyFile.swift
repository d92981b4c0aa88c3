import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Files that only their owner can read.
enum OwnerOnlyFile {
    /// Creates the directory with mode 0700, or restricts an existing one to its owner.
    static func makeDirectory(_ url: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
        } catch {
            throw ToolFailure(.cannotCreate, "Cannot create the directory \(url.path.visible): \(error.localizedDescription)")
        }
    }

    /// Reads a text from a file, or from a pipe such as a shell's `<(command)`.
    /// - Parameters:
    ///   - name: The kind of file, for messages.
    ///   - content: What the file contains, for messages.
    ///   - limit: The maximum number of bytes.
    /// - Throws: ``ToolFailure`` if the file is missing, unreadable, too large or readable by other users of the machine.
    static func text(at path: String, describedAs name: String, containing content: String, limit: Int) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR {
                throw ToolFailure(.notFound, "No \(name) at \(path.visible). Check the path.")
            }
            throw ToolFailure(.noPermission, "Cannot read the \(name) \(path.visible): \(String(cString: strerror(errno))).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Checks the open file, because the file at the path may be replaced at any time.
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else {
            throw ToolFailure(.data, "\(path.visible) is not a file. Give a file that contains \(content).")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolFailure(
                .noPermission,
                "Other users of this machine can access the \(name) \(path.visible), so it was not used. "
                    + "Run: chmod 600 \(path.visible)")
        }
        let bytes: Data
        do { bytes = try handle.read(upToCount: limit + 1) ?? Data() } catch {
            throw ToolFailure(.inputOutput, "Cannot read the \(name) \(path.visible): \(error.localizedDescription)")
        }
        guard bytes.count <= limit, let text = String(bytes: bytes, encoding: .utf8) else {
            throw ToolFailure(.data, "\(path.visible) does not contain \(content).")
        }
        return text
    }

    /// Replaces the file atomically: other processes read either the old or the new content.
    static func write(_ data: Data, to url: URL) throws {
        let temporary = url.path + ".\(UUID().uuidString).tmp"
        // The mode is set when the file is created, so that no other user can open it before.
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(url) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
        } catch {
            unlink(temporary)
            throw ToolFailure(.cannotCreate, "Cannot write \(url.path.visible): \(error.localizedDescription)")
        }
        guard rename(temporary, url.path) == 0 else {
            defer { unlink(temporary) }
            throw failure(url)
        }
    }

    /// Holds an exclusive lock on the file while the body runs.
    static func withLock<T>(_ url: URL, _ body: () throws -> T) throws -> T {
        let descriptor = open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(url) }
        // Closing the descriptor releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(url) }
        }
        return try body()
    }

    private static func failure(_ url: URL) -> ToolFailure {
        ToolFailure(.cannotCreate, "Cannot write \(url.path.visible): \(String(cString: strerror(errno))).")
    }
}
