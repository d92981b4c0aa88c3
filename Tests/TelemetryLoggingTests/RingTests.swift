import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryLogging

/// One ring: what it keeps, and what is read from its bytes. `TELEMETRY_SEED` sets the random sequence.
struct RingTests {
    private static func ring(bytes: Int) -> EventRing {
        let memory = SegmentMemory(count: RingHeader.bytes + bytes)
        memory.clear()
        return EventRing(memory: memory, scenario: "Net", clientId: "client")
    }

    @Test("A ring keeps the last events, without a gap, and as many as fit")
    func keepsTheLast() throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        for _ in 0..<20 {
            let bytes = Int.random(in: 100...600, using: &random) * 8
            let longest = Int.random(in: 1...(bytes / 4 - 60), using: &random)
            var ring = Self.ring(bytes: bytes)
            var logged: [String] = []
            for number in 0..<400 {
                let padding = Int.random(in: 0..<longest, using: &random)
                logged.append("\(number)." + String(repeating: "x", count: padding))
                ring.append(logged[number], seconds: Double(number))
                guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
                let file = try ring.file
                #expect(file.names == ring.events.names, comment)
                #expect(file.names == logged.suffix(file.names.count), comment)
                let strides = file.entries.map { RingEntry.stride(ofLength: $0.content.upperBound - $0.offset) }
                let isFull = strides.reduce(0, +) >= bytes - 2 * (longest + 60)
                #expect(isFull || file.names.count == logged.count, comment)
            }
        }
    }

    @Test("An event that is older than the limit is removed when a later one is appended")
    func age() throws {
        var ring = Self.ring(bytes: 4_096)
        for second in 0..<10 { ring.append("\(second)", seconds: Double(second), oldest: Double(second) - 3) }
        #expect(try ring.file.names == ["6", "7", "8", "9"])
        ring.append("later", seconds: 100, oldest: 97)
        #expect(try ring.file.names == ["later"])
    }

    @Test("An event of more than a quarter of the ring is not kept, and removes no others")
    func tooLarge() throws {
        var ring = Self.ring(bytes: 1_024)
        ring.append("kept", seconds: 0)
        ring.append(String(repeating: "x", count: 256), seconds: 0)
        #expect(try ring.file.names == ["kept"])
    }

    @Test("A damaged byte hides at most the event that it is part of, and no other bytes are taken for an event")
    func damagedBytes() throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        var ring = Self.ring(bytes: 1_024)
        // More than fit, so that the end and the gaps contain parts of removed events.
        let logged = (0..<40).map { "\($0)." + String(repeating: "x", count: Int.random(in: 0..<90, using: &random)) }
        for (number, name) in logged.enumerated() { ring.append(name, seconds: Double(number)) }
        let whole = try ring.file
        try #require(whole.entries.count > 3)
        for offset in whole.bytes.indices {
            var bytes = whole.bytes
            bytes[offset] ^= UInt8.random(in: 1...255, using: &random)
            guard case .events(let read, _) = RecordedEvents.read(bytes) else {
                #expect(offset < RingHeader.bytes, comment)
                continue
            }
            if offset < RingHeader.bytes {
                #expect(read.names.isOrderedPart(of: logged), "\(offset), \(comment)")
            } else {
                let intact = whole.entries.filter { !($0.offset..<$0.content.upperBound).contains(offset) }
                let expected = RecordedEvents(bytes: whole.bytes, entries: intact).names
                // A changed mark of an entry leaves its content as it is.
                #expect(expected.isOrderedPart(of: read.names), "\(offset), \(comment)")
                #expect(read.names.isOrderedPart(of: whole.names), "\(offset), \(comment)")
            }
        }
    }

    @Test("A file that was cut off yields the events that it contains completely")
    func truncation() throws {
        var ring = Self.ring(bytes: 1_024)
        for number in 0..<40 { ring.append("event \(number)", seconds: Double(number)) }
        let whole = try ring.file
        for count in whole.bytes.indices {
            guard case .events(let read, _) = RecordedEvents.read(Array(whole.bytes[..<count])) else {
                #expect(count < RingHeader.bytes)
                continue
            }
            let expected = whole.entries.filter { $0.content.upperBound <= count }
            #expect(read.names == RecordedEvents(bytes: whole.bytes, entries: expected).names)
        }
    }

    @Test("A ring whose bytes another process has changed goes on with later events")
    func changedWhileInUse() throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        var ring = Self.ring(bytes: 1_024)
        for number in 0..<2_000 {
            let offset = RingHeader.bytes + 4 * Int.random(in: 0..<256, using: &random)
            ring.memory.store(UInt32.random(in: .min ... .max, using: &random), at: offset)
            ring.append("event \(number)", seconds: Double(number), oldest: Double(number - 5))
        }
        for number in 2_000..<2_100 { ring.append("event \(number)", seconds: Double(number)) }
        #expect(try ring.file.names.last == "event 2099", comment)
    }

    @Test("Events of several rings are merged by time, each once, and each ring's in its order")
    func merging() throws {
        var first = Self.ring(bytes: 4_096)
        var second = Self.ring(bytes: 4_096)
        for number in [1, 3, 5] { first.append("first \(number)", seconds: Double(number)) }
        // The clock was set back in between.
        for (number, seconds) in [(2, 4.0), (3, 2.0), (4, 6.0)] { second.append("second \(number)", seconds: seconds) }
        var merged = Self.ring(bytes: 4_096)
        merged.append([first.events, second.events])
        let names = ["first 1", "first 3", "second 2", "second 3", "first 5", "second 4"]
        #expect(try merged.file.names == names)
        var again = Self.ring(bytes: 4_096)
        again.append([merged.events, first.events, second.events])
        #expect(try again.file.names == names)
        #expect(Set(try again.file.entries.map(\.identity)).count == 6)
    }

    @Test("An event that was replaced since it was read is not marked, and the later one stays whole")
    func replaced() throws {
        var ring = Self.ring(bytes: 1_024)
        for number in 0..<4 { ring.append("\(number)", seconds: Double(number)) }
        let read = ring.events.entries
        for number in 4..<100 { ring.append("later \(number)", seconds: Double(number)) }
        let later = try ring.file.names
        for entry in read { ring.markDumped(entry, of: ring.key) }
        let another = Self.ring(bytes: 1_024)
        for entry in ring.events.entries { ring.markDumped(entry, of: another.key) }
        #expect(try ring.file.names == later)
        #expect(try ring.file.entries.allSatisfy { !$0.isDumped })
    }

    @Test("An event that is too large to be captured is not kept")
    func uncapturable() throws {
        let memory = SegmentMemory(count: RingHeader.bytes + 4_096)
        memory.clear()
        var ring = EventRing(memory: memory, scenario: "Net", clientId: "client", maximumFrameBytes: 200)
        ring.append(String(repeating: "x", count: 300), seconds: 0)
        ring.append("kept", seconds: 1)
        #expect(try ring.file.names == ["kept"])
    }

    @Test("Captured events are not read again, also from the file")
    func captured() throws {
        var ring = Self.ring(bytes: 4_096)
        for number in 0..<4 { ring.append("\(number)", seconds: Double(number)) }
        let window = RecordedEvents.Window(until: 3, maximumAge: 100)
        let read = ring.events.entries
        ring.markDumped(read[1], of: ring.key)
        ring.markDumped(read[3], of: ring.key)
        #expect(try ring.file.remaining(in: window).names == ["0", "2"])
        #expect(ring.events.remaining(in: .init(until: 3, maximumAge: 100, lookback: 1)).names == ["2"])
    }
}

extension EventRing {
    mutating func append(_ name: String, seconds: Double, oldest: Double = -.infinity) {
        withUnsafeTemporaryAllocation(byteCount: 8_192, alignment: 16) { buffer in
            let event = CapturedEvent(
                name: name, scenario: nil, level: .info, property1: nil, attributes: [:],
                secondsSinceReference: seconds, thread: 1)
            let frame = FrameEncoding.encode(event, in: buffer)
            append(frame, seconds: seconds, oldest: oldest)
        }
    }

    /// The events that another process reads from the ring's bytes.
    var file: RecordedEvents {
        get throws {
            let bytes = memory.withBytes(in: 0..<memory.count) { $0.array }
            guard case .events(let events, let header) = RecordedEvents.read(bytes) else {
                throw UnreadableRing()
            }
            #expect(header.scenario == scenario && header.clientId == clientId)
            return events
        }
    }
}

private struct UnreadableRing: Error {}

extension RecordedEvents {
    var names: [String] {
        var decoder = FrameDecoder(session: Session(id: "session"), clientId: nil, firstSequence: 1)
        var events: [TelemetryEvent] = []
        for entry in entries {
            let frame = bytes.withByteView { FrameEncoding.dumped($0[entry.content], identity: entry.identity) }
            #expect(frame.withByteView { decoder.decode($0, into: &events) })
        }
        return events.map(\.name)
    }
}

extension [String] {
    /// Whether the elements are in the other array, in the same order.
    fileprivate func isOrderedPart(of other: [String]) -> Bool {
        var rest = other[...]
        for element in self {
            guard let index = rest.firstIndex(of: element) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}
