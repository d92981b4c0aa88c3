import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import ViewerKit

struct ArchiveReaderTests {
    private let directory = TemporaryDirectory()

    private func event(_ sequence: UInt64, client: String, session: String = "s") -> TelemetryEvent {
        TelemetryEvent(
            eventId: "\(session)-\(sequence)", clientId: client, sessionId: session, sequence: sequence, name: "n",
            timestamp: Date(timeIntervalSince1970: 1_790_000_000 + Double(sequence)))
    }

    private func line(_ event: TelemetryEvent) throws -> String {
        String(decoding: try JSONEncoder().encode(event), as: UTF8.self) + "\n"
    }

    @Test(
        "Each line is in exactly one part, wherever the parts end",
        arguments: [
            [], [""], ["", "", "a"], ["one", "two"], [String(repeating: "x", count: 30_000), "short", "ü", "", "end"],
            (0..<50).map { "line \($0)" },
        ], [true, false])
    func parts(lines: [String], endsInLineFeed: Bool) async throws {
        let text = "header\n" + lines.map { "\($0)\n" }.joined()
        let wanted = endsInLineFeed ? text : String(text.dropLast())
        let (handle, size) = (try directory.file(wanted), wanted.utf8.count)
        for partSize in Array(1...9) + [4_095, 4_096, 1 << 20] {
            let parts = ArchiveParts(handle, from: min(7, size), size: size, partSize: partSize)
            var found = "header\n"
            for part in 0..<parts.count {
                let (bytes, lines) = try parts.read(part)
                found += String(decoding: bytes[lines], as: UTF8.self)
            }
            #expect(found == (lines.isEmpty ? "header\n" : wanted), "parts of \(partSize) bytes")
            #expect(parts.count == 0 || parts.end(of: parts.count - 1) == size)
        }
    }

    @Test("A line that is too long is an error and is not read into memory, however large the file is")
    func longLine() async throws {
        let handle = try directory.file("one\n")
        try handle.truncate(atOffset: 40 << 30)
        let parts = ArchiveParts(handle, from: 0, size: 40 << 30, maximumLineBytes: 4 << 20)
        #expect(throws: ToolFailure.self) { try parts.read(0) }
        // No line begins in the others.
        #expect(try parts.read(1).lines.isEmpty)
    }

    @Test("Events are passed on in order across clients, wherever the parts end", arguments: [1, 300, 5_000, 1 << 20])
    func order(partSize: Int) async throws {
        let events = (1...400).map { event(UInt64($0), client: "c\($0 / 7 % 5)", session: "s\($0 / 50)") }
        let text = try events.map(line).joined()
        let (handle, size) = (try directory.file(text), text.utf8.count)
        let parts = ArchiveParts(handle, from: 0, size: size, partSize: partSize)
        for readAhead in [1, 2, 50] {
            var found: [TelemetryEvent] = []
            var positions: [Int] = []
            try await ArchiveReader(parts, readAhead: readAhead).forEachPart { part, position in
                positions.append(position)
                for case .events(let batches) in part { found += batches.flatMap(\.events) }
            }
            #expect(found == events)
            #expect(positions == positions.sorted() && positions.last == size)
        }
    }

    @Test("The lines before a line that cannot be read are passed on before the error")
    func failure() async throws {
        let events = (1...9).map { event(UInt64($0), client: "c") }
        let text = try events.map(line).joined() + String(repeating: "x", count: 100_000)
        let (handle, size) = (try directory.file(text), text.utf8.count)
        let parts = ArchiveParts(handle, from: 0, size: size, partSize: 300, maximumLineBytes: 50_000)
        var found: [TelemetryEvent] = []
        await #expect(throws: ToolFailure.self) {
            try await ArchiveReader(parts, readAhead: 400).forEachPart { part, _ in
                for case .events(let batches) in part { found += batches.flatMap(\.events) }
            }
        }
        #expect(found.count >= 7 && found == Array(events[..<found.count]))
    }

    @Test("Batches of few events are joined with their neighbours in order, up to 512 events")
    func joining() throws {
        func batches(_ counts: [Int]) -> (counts: [Int], events: [UInt64]) {
            var sequence: UInt64 = 0
            var all = ArchivedBatches()
            for (number, count) in counts.enumerated() {
                let events = (0..<count).map { _ in
                    sequence += 1
                    return event(sequence, client: "c\(number)")
                }
                all.append(TelemetryEventBatch(events))
            }
            let taken = all.take()
            #expect(all.take().isEmpty)
            return (taken.map(\.count), taken.flatMap(\.events).map(\.sequence))
        }
        for (counts, expected) in [
            ([50, 50], [50, 50]), ([1, 1, 1], [3]), ([50, 1, 50], [51, 50]), ([1, 50, 3], [54]), ([510, 2, 1], [512, 1]),
            ([Int](repeating: 15, count: 40), [510, 90]), ([16, 16, 15, 16], [16, 31, 16]), ([], []),
        ] {
            let found = batches(counts)
            #expect(found.counts == expected)
            #expect(found.events == (0..<UInt64(counts.reduce(0, +))).map { $0 + 1 })
        }
    }

    @Test("Lines that are not events stay in their places among events")
    func mixed() throws {
        let unusual = try line(event(3, client: "c")).replacing("{", with: "{\"unknown\":1,", maxReplacements: 1)
        let text =
            try line(event(1, client: "c")) + line(event(2, client: "c")) + unusual + "no event\n" + line(event(4, client: "d"))
        let read = StoreArchive.read(Array(text.utf8))
        try #require(read.count == 3)
        guard case .events(let first) = read[0], case .invalid = read[1], case .events(let last) = read[2] else {
            Issue.record("\(read)")
            return
        }
        #expect(first.flatMap(\.events).map(\.sequence) == [1, 2, 3])
        #expect(last.flatMap(\.events).map(\.sequence) == [4])
    }
}
