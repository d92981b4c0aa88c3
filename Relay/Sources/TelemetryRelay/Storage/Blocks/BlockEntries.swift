import Foundation

/// What a block has of each of its events besides the line, in order of arrival.
struct BlockEntry: Sendable, Equatable {
    /// The event's number in the order of arrival.
    var number: Int64
    /// The index of its level, name, scenario and severity in the block's summary.
    var cell: Int
    var time: RelayTime
    /// The row of its identifier.
    var identity: Int64
    /// The bytes of the header before its line; nil if its header is that of the event before, but not for the first one.
    var header: Int?
    /// The bytes of its line.
    var length: Int
}

/// The stored form of a block's entries. Every number is a difference to the entry before, or an index, so that most take one byte.
enum BlockEntries {
    /// Most times are whole milliseconds.
    private static let units: [Int32] = [1_000_000, 1]

    static func encode(_ entries: [BlockEntry]) -> Data {
        var writer = BlockWriter()
        var places: [Int64: Int] = [:]
        var identities: [Int64] = []
        for entry in entries where places[entry.identity] == nil {
            places[entry.identity] = identities.count
            identities.append(entry.identity)
        }
        writer.count(entries.count)
        writer.count(identities.count)
        var last: Int64 = 0
        for identity in identities {
            writer.signed(identity &- last)
            last = identity
        }
        let isWhole = entries.allSatisfy { $0.time.nanoseconds % units[0] == 0 }
        writer.count(isWhole ? 0 : 1)
        let unit = units[isWhole ? 0 : 1]
        var (number, seconds): (Int64, Int64) = (0, 0)
        for entry in entries {
            writer.signed(entry.number &- number)
            writer.count(entry.cell)
            writer.signed(entry.time.seconds &- seconds)
            writer.count(Int(entry.time.nanoseconds / unit))
            writer.count(entry.length << 1 | (entry.header == nil ? 0 : 1))
            if let header = entry.header { writer.count(header) }
            if identities.count > 1 { writer.count(places[entry.identity] ?? 0) }
            (number, seconds) = (entry.number, entry.time.seconds)
        }
        return Data(writer.bytes)
    }

    /// - Parameters:
    ///   - block: what the entries must agree with.
    ///   - cells: the number of cells in the block's summary.
    static func decode(_ data: Data, of block: EventBlock, cells: Int) throws -> [BlockEntry] {
        let entries = try decode(data, cells: cells)
        guard entries.first?.header != nil else { throw BlockScanner.malformed }
        var (last, length) = (Int64.min, 0)
        for entry in entries {
            guard entry.number > last, block.numbers.contains(entry.number), length <= block.length else {
                throw BlockScanner.malformed
            }
            last = entry.number
            length += (entry.header ?? 0) + entry.length
        }
        guard entries.count == block.count, length == block.length else { throw BlockScanner.malformed }
        return entries
    }

    static func decode(_ data: Data, cells: Int) throws -> [BlockEntry] {
        var scanner = BlockScanner(data)
        let count = try scanner.count(atMost: data.count)
        var identities: [Int64] = []
        for _ in 0..<(try scanner.count(atMost: count)) { identities.append((identities.last ?? 0) &+ (try scanner.signed())) }
        let unit = units[try scanner.count(atMost: units.count - 1)]
        var entries: [BlockEntry] = []
        entries.reserveCapacity(count)
        var (number, seconds): (Int64, Int64) = (0, 0)
        for _ in 0..<count {
            number &+= try scanner.signed()
            let cell = try scanner.count(atMost: cells - 1)
            seconds &+= try scanner.signed()
            let nanoseconds = Int32(try scanner.count(atMost: 999_999_999 / Int(unit))) * unit
            let form = try scanner.count(atMost: Int(UInt32.max))
            let header = form & 1 == 0 ? nil : try scanner.count(atMost: Int(Int32.max))
            let identity = identities.count > 1 ? try scanner.count(atMost: identities.count - 1) : 0
            guard identity < identities.count else { throw BlockScanner.malformed }
            entries.append(
                BlockEntry(
                    number: number, cell: cell, time: RelayTime(seconds: seconds, nanoseconds: nanoseconds),
                    identity: identities[identity], header: header, length: form >> 1))
        }
        guard scanner.isAtEnd else { throw BlockScanner.malformed }
        return entries
    }
}
