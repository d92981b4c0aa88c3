import Foundation

/// Files that only their owner reads, written whole.
enum PrivateFile {
    /// Larger files are none that this package wrote.
    private static let maximumBytes = 16 << 20

    /// The file's bytes; nil where there is no such file.
    static func read(_ path: String) throws -> Data? {
        // Without O_NONBLOCK, opening a pipe that somebody put there would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw FileSystemError.last("open", path)
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystemError.last("fstat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileSystemError(operation: "read", path: path, code: EINVAL) }
        guard status.st_size <= maximumBytes else { throw FileSystemError(operation: "read", path: path, code: EFBIG) }
        do { return try handle.readToEnd() ?? Data() } catch {
            // The system's failure, which may pass, and not the content's.
            throw FileSystemError(operation: "read", path: path, code: EIO)
        }
    }

    /// Replaces the file as one step that survives a killed process and a power cut. Call it under a lock: temporary files that
    /// are there already are what killed processes left, and are removed.
    static func replace(_ path: String, with data: Data) throws {
        removeTemporaryFiles(of: path)
        // A new file under a name that nobody can know: what others put into a shared directory is never opened or written.
        let temporary = "\(path).\(UUID().uuidString)\(temporarySuffix)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw FileSystemError.last("open", temporary) }
        do {
            defer { close(descriptor) }
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: data)
            guard fsync(descriptor) == 0 else { throw FileSystemError.last("fsync", temporary) }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let failure = FileSystemError.last("rename", temporary)
            unlink(temporary)
            throw failure
        }
        synchronizeDirectory(of: path)
    }

    private static let temporarySuffix = ".tmp"

    /// Removes what replacing the file left when its process was killed, also under the one name that earlier versions used.
    private static func removeTemporaryFiles(of path: String) {
        let directory = (path as NSString).deletingLastPathComponent
        let prefix = (path as NSString).lastPathComponent + "."
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(prefix) && name.hasSuffix(temporarySuffix) {
            let isOurs = UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(temporarySuffix.count))) != nil
            if isOurs || name == prefix + temporarySuffix.dropFirst() { unlink("\(directory)/\(name)") }
        }
    }

    /// Makes an empty file, which survives a power cut; one that is there already stays as it is.
    static func create(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw FileSystemError.last("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileSystemError.last("fsync", path) }
        synchronizeDirectory(of: path)
    }

    /// Removes the file; returns whether it was there.
    @discardableResult
    static func remove(_ path: String) throws -> Bool {
        guard unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw FileSystemError.last("unlink", path)
        }
        synchronizeDirectory(of: path)
        return true
    }

    static func move(_ path: String, to other: String) throws {
        guard rename(path, other) == 0 else { throw FileSystemError.last("rename", path) }
    }

    /// Makes a directory, and those above it that are missing, for the owner alone.
    static func makeDirectory(_ url: URL) throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Not every file system can; the file itself is written by then.
    private static func synchronizeDirectory(of path: String) {
        let descriptor = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
