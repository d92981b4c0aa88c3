import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A relay's token and its source. Descriptions never contain the token.
public struct RelayToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The maximum size of a token file, in bytes.
    private static let maximumBytes = 16 << 10

    /// The token, without leading or trailing whitespace.
    public let value: String
    /// The token's source, for messages: a file's path or a variable's name.
    public let source: String

    /// - Throws: ``ToolFailure`` if the text is empty or not valid in an HTTP header.
    public init(_ text: String, source: String) throws {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else { throw ToolFailure(.data, "The token in \(source.visible) is empty.") }
        guard trimmed.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ToolFailure(
                .data, "\(source.visible) does not contain a token: a token is one word of visible ASCII characters.")
        }
        value = trimmed
        self.source = source
    }

    /// Reads a token from a file, or from a pipe such as a shell's `<(command)`.
    /// - Throws: ``ToolFailure`` if the file is missing, unreadable, too large or readable by other users of the machine.
    public init(file path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR {
                throw ToolFailure(.notFound, "No token file at \(path.visible). Check the path.")
            }
            throw ToolFailure(
                .noPermission, "Cannot read the token file \(path.visible): \(String(cString: strerror(errno))).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Checks the open file, because the file at the path may be replaced at any time.
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else {
            throw ToolFailure(.data, "\(path.visible) is not a file. Give a file that contains a token.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolFailure(
                .noPermission,
                "Other users of this machine can access the token file \(path.visible), so it was not used. "
                    + "Run: chmod 600 \(path.visible)")
        }
        let bytes: Data
        do { bytes = try handle.read(upToCount: Self.maximumBytes + 1) ?? Data() } catch {
            throw ToolFailure(.inputOutput, "Cannot read the token file \(path.visible): \(error.localizedDescription)")
        }
        guard bytes.count <= Self.maximumBytes, let text = String(bytes: bytes, encoding: .utf8) else {
            throw ToolFailure(.data, "\(path.visible) does not contain a token.")
        }
        try self.init(text, source: path)
    }

    public var description: String { "token from \(source)" }
    public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
