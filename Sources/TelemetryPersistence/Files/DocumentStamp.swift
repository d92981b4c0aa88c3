import Foundation
import TelemetrySystem

/// A value that changes if a file is replaced, or if a file in the same directory is created or removed.
struct DocumentStamp: Equatable {
    private struct Entry: Equatable {
        let identity: FileStatus.Identity
        let size: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    private let file: Entry?
    private let directory: Entry?

    /// - Parameter name: The file's name; it need not exist.
    init(of name: String, in directory: URL, system: FileSystem = FileSystem()) {
        file = Self.entry(directory.appending(path: name).path(percentEncoded: false), system)
        self.directory = Self.entry(directory.path(percentEncoded: false), system)
    }

    /// Whether any later change changes the stamp. A change within the resolution of the file system's clock does not.
    func isSettled(at date: Date) -> Bool {
        let newest = [file, directory].compactMap { $0?.seconds }.max()
        return newest.map { Double($0) + 2 < date.timeIntervalSince1970 } ?? false
    }

    private static func entry(_ path: String, _ system: FileSystem) -> Entry? {
        guard let status = try? system.statusThroughLinks(path) else { return nil }
        return Entry(
            identity: status.identity, size: status.size, seconds: status.modified, nanoseconds: status.modifiedNanoseconds)
    }
}
