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

    /// Why other users can change what is in a directory, also one behind a link; nil if they cannot, or it is not there.
    package func exposure(ofDirectory path: String) -> String? {
        var found = stat()
        guard (try? call(.status, path) { stat(path, &found) }) != nil else { return nil }
        let status = FileStatus(found)
        if status.owner != user { return "it belongs to another user" }
        return status.isWritableByGroup || status.isWritableByOthers ? "its permissions let others write" : nil
    }
}
