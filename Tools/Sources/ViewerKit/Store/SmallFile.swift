import Foundation

/// Reads a file of a store into memory.
enum SmallFile {
    /// The maximum size of a record's file in bytes, as in the store itself.
    private static let maximumBytes = 16 << 20

    /// Returns the file's content, or nil if the file is missing, unreadable or too large.
    static func content(of url: URL) -> Data? {
        guard let values = try? url.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]), values.isRegularFile == true,
            let size = values.fileSize, size <= maximumBytes, let handle = try? FileHandle(forReadingFrom: url)
        else { return nil }
        defer { try? handle.close() }
        return try? handle.read(upToCount: maximumBytes)
    }
}
