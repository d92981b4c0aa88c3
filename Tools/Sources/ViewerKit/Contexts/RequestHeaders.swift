import Foundation

/// Headers of HTTP requests from a file with one header per line, as `Name: value`. Empty lines and lines that begin with `#` are
/// ignored. Descriptions never contain the values, which may be secret.
public struct RequestHeaders: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The maximum size of a file, in bytes.
    private static let maximumBytes = 64 << 10

    /// The values by name; names are case-insensitive, and the last value of a name counts.
    public let values: [String: String]

    /// - Throws: ``ToolFailure`` if the file is missing, unreadable, readable by other users of the machine, or invalid.
    public init(file path: String) throws {
        let text = try OwnerOnlyFile.text(
            at: path, describedAs: "headers file", containing: "headers", limit: Self.maximumBytes)
        try self.init(text, source: path)
    }

    /// - Throws: ``ToolFailure`` for an invalid line.
    init(_ text: String, source: String) throws {
        var values: [String: String] = [:]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.isEmpty || trimmed.hasPrefix("#") { continue }
            let parts = trimmed.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
            guard parts.count == 2, Self.isName(parts[0]), value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw ToolFailure(
                    .data, "Line \(index + 1) of \(source.visible) is not a header. Example: Authorization: Bearer abc")
            }
            values[parts[0].lowercased()] = value
        }
        self.values = values
    }

    /// Whether it is a token of RFC 9110.
    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    public var description: String { "headers \(values.keys.sorted().joined(separator: ", "))" }
    public var customMirror: Mirror { Mirror(self, children: ["names": values.keys.sorted()]) }
}
