/// Decompression of DEFLATE data (RFC 1951), bounded: what a small body expands to is limited before it is there.
struct Inflate {
    struct Malformed: Error { let what: String }
    struct TooLarge: Error {}

    private let input: ArraySlice<UInt8>
    private let limit: Int
    private var position: Int
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var output: [UInt8] = []

    private init(_ input: ArraySlice<UInt8>, limit: Int) {
        self.input = input
        self.limit = limit
        position = input.startIndex
    }

    /// - Returns: the decompressed bytes, and where in the input they end.
    static func decompress(_ input: ArraySlice<UInt8>, limit: Int) throws -> (bytes: [UInt8], end: Int) {
        var inflate = Inflate(input, limit: limit)
        var isLast = false
        while !isLast {
            isLast = try inflate.take(1) == 1
            switch try inflate.take(2) {
            case 0: try inflate.copyStored()
            case 1: try inflate.expand(.fixedLiterals, .fixedDistances)
            case 2:
                let (literals, distances) = try inflate.readCodes()
                try inflate.expand(literals, distances)
            default: throw Malformed(what: "a block of no known kind")
            }
        }
        return (inflate.output, inflate.position)
    }

    /// The next bits, the first one lowest.
    private mutating func take(_ count: Int) throws -> Int {
        while bitCount < count {
            guard position < input.endIndex else { throw Malformed(what: "the data ends too early") }
            bits |= UInt32(input[position]) << UInt32(bitCount)
            position += 1
            bitCount += 8
        }
        let value = bits & ((1 << UInt32(count)) - 1)
        bits >>= UInt32(count)
        bitCount -= count
        return Int(value)
    }

    private mutating func symbol(_ code: HuffmanCode) throws -> Int {
        var place = HuffmanCode.Place()
        while true {
            if let symbol = try code.symbol(after: try take(1), at: &place) { return symbol }
        }
    }

    private mutating func copyStored() throws {
        bits = 0
        bitCount = 0
        let length = try take(16)
        guard try take(16) == length ^ 0xFFFF else { throw Malformed(what: "a stored block's length") }
        guard input.endIndex - position >= length else { throw Malformed(what: "the data ends too early") }
        guard output.count + length <= limit else { throw TooLarge() }
        output.append(contentsOf: input[position..<(position + length)])
        position += length
    }

    private mutating func expand(_ literals: HuffmanCode, _ distances: HuffmanCode) throws {
        while true {
            let symbol = try symbol(literals)
            switch symbol {
            case 0..<256:
                guard output.count < limit else { throw TooLarge() }
                output.append(UInt8(symbol))
            case 256: return
            case 257...285:
                let length = try Self.lengthBase[symbol - 257] + take(Self.lengthExtra[symbol - 257])
                let index = try self.symbol(distances)
                guard index < 30 else { throw Malformed(what: "a distance's code") }
                let extra = index < 4 ? 0 : index / 2 - 1
                let base = index < 4 ? index + 1 : ((2 + index % 2) << extra) + 1
                let distance = try base + take(extra)
                guard distance <= output.count else { throw Malformed(what: "a distance before the beginning") }
                guard output.count + length <= limit else { throw TooLarge() }
                // Byte by byte: a copy may overlap what it writes.
                for _ in 0..<length { output.append(output[output.count - distance]) }
            default: throw Malformed(what: "a length's code")
            }
        }
    }

    private mutating func readCodes() throws -> (HuffmanCode, HuffmanCode) {
        let literals = try take(5) + 257
        let distances = try take(5) + 1
        let count = try take(4) + 4
        var lengths = [Int](repeating: 0, count: 19)
        for index in Self.lengthOrder[..<count] { lengths[index] = try take(3) }
        let code = try HuffmanCode(lengths: lengths)
        var all: [Int] = []
        while all.count < literals + distances {
            switch try symbol(code) {
            case let length where length < 16: all.append(length)
            case 16:
                guard let last = all.last else { throw Malformed(what: "a repetition of nothing") }
                all += Array(repeating: last, count: try take(2) + 3)
            case 17: all += Array(repeating: 0, count: try take(3) + 3)
            default: all += Array(repeating: 0, count: try take(7) + 11)
            }
        }
        guard all.count == literals + distances, literals <= 286, all[256] > 0 else {
            throw Malformed(what: "the codes' lengths")
        }
        return (try HuffmanCode(lengths: Array(all[..<literals])), try HuffmanCode(lengths: Array(all[literals...])))
    }

    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
    private static let lengthBase = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
}
