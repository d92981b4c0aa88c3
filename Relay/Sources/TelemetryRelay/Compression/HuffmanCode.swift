/// A canonical Huffman code: its symbols sorted by the length of their codes, and how many there are of each length.
struct HuffmanCode: Sendable {
    /// How far a code has been read.
    struct Place {
        fileprivate var value = 0
        fileprivate var first = 0
        fileprivate var index = 0
        fileprivate var length = 0
    }

    private let counts: [Int]
    private let symbols: [Int]

    /// - Parameter lengths: for each symbol the length of its code, 0 where it has none.
    init(lengths: [Int]) throws {
        self.init(checked: lengths)
        var free = 1
        for count in counts[1...] {
            free = free * 2 - count
            guard free >= 0 else { throw Inflate.Malformed(what: "more codes than there are") }
        }
    }

    private init(checked lengths: [Int]) {
        counts = lengths.reduce(into: [Int](repeating: 0, count: 16)) { if $1 > 0 { $0[$1] += 1 } }
        // By counting: a body may have a code every few bytes.
        var places = [Int](repeating: 0, count: 16)
        for length in 1..<15 { places[length + 1] = places[length] + counts[length] }
        var sorted = [Int](repeating: 0, count: counts.reduce(0, +))
        for (symbol, length) in lengths.enumerated() where length > 0 {
            sorted[places[length]] = symbol
            places[length] += 1
        }
        symbols = sorted
    }

    /// The codes of RFC 1951, section 3.2.6.
    static let fixedLiterals = HuffmanCode(checked: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    static let fixedDistances = HuffmanCode(checked: [Int](repeating: 5, count: 32))

    /// The symbol whose code ends with this bit; nil where it goes on.
    func symbol(after bit: Int, at place: inout Place) throws -> Int? {
        place.length += 1
        guard place.length < counts.count else { throw Inflate.Malformed(what: "a code that stands for nothing") }
        place.value = place.value << 1 | bit
        let count = counts[place.length]
        if place.value - place.first < count { return symbols[place.index + place.value - place.first] }
        place.index += count
        place.first = (place.first + count) << 1
        return nil
    }
}
