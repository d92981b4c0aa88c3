import Foundation
@_spi(Tooling) import TelemetryModels

/// Finds the queries whose literals may be in an event's strings, all of them in one pass over the frame.
///
/// Each literal has so many letters that one of the places, `stride` bytes apart, at which the pass looks at four bytes is within it, with
/// all of the four. A table of bits tells for most of these four bytes that no literal has them.
///
/// A simpler relative of Sun Wu and Udi Manber, "A Fast Algorithm for Multi-Pattern Searching" (1994).
struct LetterIndex {
    private struct Literal {
        let letters: [UInt8]
        var queries: [Int]
    }

    /// The shortest literals that are searched for.
    static let minimumLetters = 4
    private static let gramBytes = 4

    private var literals: [Literal] = []
    /// The literals that have four bytes, and where.
    private var places: [UInt32: [(literal: Int, offset: Int)]] = [:]
    private var bits = [UInt64](repeating: 0, count: 1 << 10)
    private let stride: Int

    /// The literals of which a query's matching events have one; nil if nothing is known that can be searched for.
    static func literals(of query: TelemetryQuery) -> [[UInt8]]? {
        // Frames contain Booleans in another form.
        let booleans = ["true", "false", "fals", "alse"].map { Array($0.utf8) }
        let clauses = query.literals.clauses.filter { clause in
            clause.allSatisfy { literal in literal.count >= minimumLetters && !booleans.contains(literal) }
        }
        func shortest(_ clause: [[UInt8]]) -> Int { clause.map(\.count).min() ?? 0 }
        return clauses.max { shortest($0) < shortest($1) }
    }

    init(_ entries: [(query: Int, literals: [[UInt8]])]) {
        var queries: [[UInt8]: [Int]] = [:]
        for entry in entries { for literal in Set(entry.literals) { queries[literal, default: []].append(entry.query) } }
        literals = queries.map { Literal(letters: $0.map(Self.folded), queries: $1) }
        stride = (literals.map(\.letters.count).min() ?? Self.gramBytes) - Self.gramBytes + 1
        for (index, literal) in literals.enumerated() {
            for offset in 0..<stride {
                let gram = (0..<Self.gramBytes).reduce(UInt32(0)) { $0 | UInt32(literal.letters[offset + $1]) << (8 * $1) }
                places[gram, default: []].append((index, offset))
                let hash = Self.hash(gram)
                bits[hash / 64] |= 1 << (hash % 64)
            }
        }
    }
}

extension LetterIndex {
    /// Calls the body with each query one of whose literals may be in the strings; more than once if several are.
    /// - Parameter start: Where the strings begin in the frame.
    @inline(__always)
    func forEach(in frame: ByteView, from start: Int, _ body: (Int) -> Void) {
        // The frame's bytes exist during the call, and `last` is as many bytes before their end as are read at once.
        unsafe frame.withUnsafeBytes { bytes in
            if unsafe Self.hasFoldingScalars(UnsafeRawBufferPointer(rebasing: bytes[start...])) {
                for literal in literals { literal.queries.forEach(body) }
                return
            }
            let last = bytes.count - Self.gramBytes
            // A text may have a literal many times.
            var reported: Set<Int> = []
            unsafe bits.withUnsafeBufferPointer { bits in
                var place = start
                while place <= last {
                    let gram = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian | 0x2020_2020
                    let hash = Self.hash(gram)
                    if unsafe bits[hash / 64] & 1 << (hash % 64) != 0 {
                        for (literal, offset) in places[gram] ?? [] where isFound(literal, at: place - offset, in: frame) {
                            if reported.insert(literal).inserted { literals[literal].queries.forEach(body) }
                        }
                    }
                    place += stride
                }
            }
        }
    }

    private func isFound(_ literal: Int, at start: Int, in frame: ByteView) -> Bool {
        let letters = literals[literal].letters
        return letters.indices.allSatisfy {
            (frame.load(UInt8.self, at: start + $0)).map { Self.folded($0) } == letters[$0]
        }
    }

    /// Whether the bytes may have U+0130 or U+212A, the only other scalars whose lowercase mapping is ASCII.
    private static func hasFoldingScalars(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe has(0xC4, 0xB0, in: bytes) || has(0xE2, 0x84, in: bytes)
    }

    private static func has(_ first: UInt8, _ second: UInt8, in bytes: UnsafeRawBufferPointer) -> Bool {
        // All reads are within the bytes, which exist during the call.
        guard let base = bytes.baseAddress else { return false }
        var place = 0
        while let found = unsafe memchr(base + place, Int32(first), bytes.count - place) {
            place = unsafe UnsafeRawPointer(found) - base + 1
            if place < bytes.count, unsafe bytes[place] == second { return true }
        }
        return false
    }

    /// A letter in lowercase. Other bytes may become the same.
    private static func folded(_ byte: UInt8) -> UInt8 { byte | 0x20 }

    @inline(__always)
    private static func hash(_ gram: UInt32) -> Int { Int((gram &* 0x9E37_79B1) >> 16) }
}
