import Foundation

@testable import RelayReaders

/// Damages a row of the relay's table of blocks, and reads it. It is reported as corrupt, or its events are within its bounds.
enum RelayBlockTarget {
    private static let valid = RelayBlock.columns(
        of: LineAccess.sealed(
            Array(
                """
                {"header":{"session":"s","client":"c","start":"2026-11-21T08:00:00.000Z","names":["a","b"],"threads":["7"]},"checksum":"00000000"}
                {"seq":1,"time":0,"name":0}
                {"seq":2,"time":4.000001,"name":1,"thread":0,"scenario":"x","level":"diagnostic","text":"t"}
                {"header":{"session":"s","client":"c","ids":"p","scenario":"x"},"checksum":"00000000"}
                {"seq":9,"id":3,"time":"2026-11-21T08:00:00.123Z","name":"b","attributes":{"d":{"double":"nan"},"n":1}}
                {"seq":9,"id":4,"time":"1969-11-21T08:00:00.123Z","name":"n","attributes":{"a":"b"}}

                """.utf8)))

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        var input = ByteInput(bytes)
        var columns = valid
        while !input.isAtEnd {
            let place = input.number(below: columns.count)
            columns[place] = damaged(columns[place], &input)
        }
        guard case .bytes(let text)? = columns.popLast(), let block = RelayBlock(columns) else { return }
        require(block.isReadBack, "a block changes when it is written")
        let events = block.events
        require(events[0].count == block.count, "\(events[0].count) of \(block.count) events are found")
        for found in events { check(found, in: block) }
        guard text.count == block.length else { return }
        for event in events[0] { write(Array(text[event.header]), Array(text[event.line])) }
    }

    private static func check(_ events: [RelayBlock.Event], in block: RelayBlock) {
        var (number, end) = (Int64.min, 0)
        for event in events {
            require(event.number > number && block.numbers.contains(event.number), "an event has the number \(event.number)")
            require(event.line.lowerBound >= end && event.line.upperBound <= block.length, "a line is at \(event.line)")
            require((0...event.line.lowerBound).contains(event.header.upperBound), "a header is at \(event.header)")
            (number, end) = (event.number, event.line.upperBound)
        }
    }

    private static func write(_ header: [UInt8], _ line: [UInt8]) {
        for header in [header, LineAccess.sealed(header)] {
            guard let json = RelayBlock.json(header: header, line: line) else { continue }
            require(RelayBlock.isJSON(json), "a stored line is not written as JSON: \(String(decoding: json, as: UTF8.self))")
        }
    }

    private static func damaged(_ value: StorageValue, _ input: inout ByteInput) -> StorageValue {
        switch value {
        case .int(let number):
            switch input.number(below: 8) {
            case 0: return .null
            case 1: return .int(Int64(bitPattern: input.word()))
            case 2: return .int(.max)
            case 3: return .int(.min)
            default: return .int(number &+ Int64(Int8(bitPattern: input.byte())))
            }
        case .bytes(let data):
            var bytes = Array(data)
            let place = input.number(below: bytes.count + 1)
            switch input.number(below: 4) {
            case 0: bytes.removeSubrange(place..<min(place + input.number(below: 8), bytes.count))
            case 1: bytes.insert(contentsOf: input.take(1 + input.number(below: 8)), at: place)
            default: if place < bytes.count { bytes[place] = input.byte() }
            }
            return .bytes(Data(bytes))
        default: return .int(Int64(input.byte()))
        }
    }
}
