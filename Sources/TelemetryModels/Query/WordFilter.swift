#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The words of some events' names, strings and attributes, in a few bits each. About 1 % of other words seem to be among them. For the
/// project's packages; not part of the interface.
///
/// See Burton H. Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors" (1970). The bits of a word follow from the two halves
/// of its hash: Adam Kirsch and Michael Mitzenmacher, "Less Hashing, Same Performance: Building a Better Bloom Filter" (2006).
@_spi(Tooling)
public struct WordFilter: Sendable, Equatable {
    /// The stored form: the number of bits that are set for a word, the number of bytes after this one in four bytes, the lowest first,
    /// and the bits.
    public let bytes: Data
    private let hashes: Int

    private static let headerLength = 5
    private static let maximumHashes = 7
    /// With seven hashes: 1 % of the other words are taken for one of the filter.
    private static let bitsPerWord = 9.6

    /// The filter of a stored form; nil if it is damaged.
    public init?(_ bytes: Data) {
        let header = bytes.prefix(Self.headerLength)
        guard bytes.count > Self.headerLength, let hashes = header.first, 1...Self.maximumHashes ~= Int(hashes) else {
            return nil
        }
        let length = header.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length == bytes.count - Self.headerLength else { return nil }
        self.bytes = bytes
        self.hashes = Int(hashes)
    }

    /// Whether the word is one of the events', or seems to be.
    /// - Parameter word: Its ``WordHash``.
    func mayContain(_ word: UInt64) -> Bool {
        let start = bytes.startIndex + Self.headerLength
        return Self.places(of: word, count: hashes, below: 8 * (bytes.count - Self.headerLength)).allSatisfy {
            bytes[start + $0 / 8] & 1 << ($0 % 8) != 0
        }
    }

    private static func places(of word: UInt64, count: Int, below limit: Int) -> some Sequence<Int> {
        let (first, step) = (word & 0xffff_ffff, word >> 32 | 1)
        return (0..<UInt64(count)).lazy.map { Int((first + $0 * step) % UInt64(limit)) }
    }

    /// Collects the words of events.
    public struct Builder {
        private var words: Set<UInt64> = []

        public init() {}

        /// Adds the words of an event that a query without a field searches, and those that its numbers have in another spelling.
        public mutating func add(_ event: some QuerySubject) {
            _ = event.hasText {
                add($0)
                return false
            }
        }

        private mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
            WordHash.forEach(in: text) { words.insert($0) }
            guard let first = text.first, first &- UInt8(ascii: "0") < 10 || first == UInt8(ascii: "-"),
                let digits = QueryNumber(String(decoding: text, as: UTF8.self))?.digits
            else { return }
            words.formUnion(WordHash.words(of: digits))
        }

        /// Whether a filter may contain all words.
        public func isContained(in filter: WordFilter) -> Bool { words.allSatisfy(filter.mayContain) }

        /// The filter; nil if it would have less than one bit for each word.
        /// - Parameter maximumBytes: The maximum size of the stored form.
        public func filter(maximumBytes: Int) -> WordFilter? {
            let wanted = Int((Double(words.count) * bitsPerWord / 8).rounded(.up))
            let length = min(max(1, wanted), maximumBytes - headerLength)
            guard length > 0, 8 * length >= words.count else { return nil }
            // The number with the fewest errors: the bits of a word, times ln 2.
            let hashes = (Double(8 * length) / Double(max(1, words.count)) * 0.693).rounded()
            let count = min(max(1, Int(hashes)), maximumHashes)
            var bits = [UInt8](repeating: 0, count: length)
            for word in words {
                for place in places(of: word, count: count, below: 8 * length) { bits[place / 8] |= 1 << (place % 8) }
            }
            let header = [UInt8(count)] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            return WordFilter(Data(header + bits))
        }
    }
}
