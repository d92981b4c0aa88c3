@_spi(Tooling) import TelemetryModels

/// A pattern for names, in which `*` stands for any number of characters, including none. Everything else matches byte by byte.
public struct NamePattern: Sendable, Hashable {
    let text: String
    /// The text in canonical form.
    let canonical: [UInt8]

    static let star = UInt8(ascii: "*")

    init(_ text: String) { (self.text, canonical) = (text, CanonicalText.utf8(of: text)) }

    var hasStar: Bool { text.utf8.contains(Self.star) }

    func matches(_ name: String) -> Bool { Self.matches(Array(text.utf8), Array(name.utf8)) }

    /// Takes at most the product of the lengths: on a mismatch, only the last `*` is extended.
    static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var (next, position) = (0, 0)
        // Where to continue if the text after the last `*` does not match.
        var retry: (next: Int, position: Int)?
        while position < name.count {
            if next < pattern.count, pattern[next] == star {
                next += 1
                retry = (next, position)
            } else if next < pattern.count, pattern[next] == name[position] {
                next += 1
                position += 1
            } else if let last = retry {
                retry = (last.next, last.position + 1)
                (next, position) = (last.next, last.position + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == star }
    }

    public static func == (one: NamePattern, other: NamePattern) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
