import Foundation

/// A file of a store that is read whole.
enum SmallFile {
    /// The most bytes that the store itself reads of a record.
    private static let maximumBytes = 16 << 20

    /// The content; nil where there is no file, or one that is too large to be the store's.
    static func content(of url: URL) -> Data? {
        guard let values = try? url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]), values.isRegularFile == true,
            let size = values.fileSize, size <= maximumBytes, let handle = try? FileHandle(forReadingFrom: url)
        else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: maximumBytes)
    }
}
