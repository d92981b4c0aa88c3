#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension FileSystem {
    /// Makes a directory, for its owner alone, and whatever above it is missing.
    package func makeDirectories(_ path: String) throws(FileError) {
        var missing: [String] = []
        var path = path
        while path != "/", !path.isEmpty, try status(path) == nil {
            missing.append(path)
            path = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        }
        for path in missing.reversed() { try makeDirectory(path) }
    }

    /// The status of what a path leads to, also through symbolic links; nil where there is none.
    package func statusThroughLinks(_ path: String) throws(FileError) -> FileStatus? {
        var found = stat()
        do { _ = try call(.status, path) { stat(path, &found) } } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
        return FileStatus(found)
    }

    /// Why other users can change what is in a directory, also one behind a link; nil if they cannot, or it is not there.
    package func exposure(ofDirectory path: String) -> String? {
        guard let status = try? statusThroughLinks(path) else { return nil }
        if status.owner != user { return "it belongs to another user" }
        return status.isWritableByGroup || status.isWritableByOthers ? "its permissions let others write" : nil
    }
}
