import Foundation

/// What changes when a file is replaced, or one is created or removed beside it.
struct FileStamp: Equatable {
    private struct Entry: Equatable {
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private let file: Entry?
    private let directory: Entry?

    /// - Parameter name: The file's name; it need not exist.
    init(of name: String, in directory: URL) {
        file = Self.entry(directory.appending(path: name).path(percentEncoded: false))
        self.directory = Self.entry(directory.path(percentEncoded: false))
    }

    /// Whether any later change shows: one within the resolution of the file system's clock does not.
    func isSettled(at date: Date) -> Bool {
        let newest = [file, directory].compactMap { $0?.seconds }.max()
        return newest.map { Double($0) + 2 < date.timeIntervalSince1970 } ?? false
    }

    private static func entry(_ path: String) -> Entry? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Entry(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec), nanoseconds: Int(time.tv_nsec))
    }
}
