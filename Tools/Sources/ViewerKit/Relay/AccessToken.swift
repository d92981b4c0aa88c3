import Foundation

/// A relay's token and its source. Descriptions never contain the token.
public struct AccessToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
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
        let text = try OwnerOnlyFile.text(at: path, describedAs: "token file", containing: "a token", limit: Self.maximumBytes)
        try self.init(text, source: path)
    }

    public var description: String { "token from \(source)" }
    public var customMirror: Mirror { Mirror(self, children: ["source": source]) }
}
