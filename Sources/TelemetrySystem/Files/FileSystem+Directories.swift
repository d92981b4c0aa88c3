#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

extension FileSystem {
    /// Creates a directory, accessible to its owner only, and its missing parents.
    package func makeDirectories(_ path: String) throws(FileError) {
        var missing: [String] = []
        var path = path
        while path != "/", !path.isEmpty, try status(path) == nil {
            missing.append(path)
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        for path in missing.reversed() { try makeDirectory(path) }
    }

    /// The status of the file at a path, following symbolic links; nil if there is none.
    package func statusThroughLinks(_ path: String) throws(FileError) -> FileStatus? {
        var found = stat()
        do { _ = try call(.status, path) { fstatat(AT_FDCWD, path, &found, 0) } } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        return FileStatus(found)
    }

    /// Why other users can modify a directory, following links; nil if they cannot, or it does not exist.
    package func exposure(ofDirectory path: String) -> String? {
        guard let status = try? statusThroughLinks(path) else { return nil }
        if status.owner != user { return "it belongs to another user" }
        return status.isWritableByGroup || status.isWritableByOthers ? "its permissions let others write" : nil
    }
}
