/// The clients that a user selected.
public struct ClientSelection: Sendable, Equatable {
    /// The identifiers of clients that the store contains.
    public internal(set) var identifiers: Set<String> = []
    /// The identifiers of clients that the store does not contain now.
    public internal(set) var unknown: Set<String> = []
    /// The patterns, which also select clients that appear later.
    public internal(set) var patterns: [String] = []
    /// A sentence for each text that selects no client of the store.
    public internal(set) var warnings: [String] = []
}

extension String {
    /// Whether the text matches a pattern in which `*` stands for any characters and `?` for one.
    func matches(pattern: String) -> Bool {
        let (text, pattern) = (Array(self), Array(pattern))
        var (position, index) = (0, 0)
        // The index of the last `*`, and the end of the characters that it matches so far.
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
                (position, index) = (position + 1, index + 1)
            } else if let last = star {
                star = (last.index, last.position + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
