import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills writers at random times. `TELEMETRY_KILLS` sets the number of kills per test case, `TELEMETRY_SEED` their times.
@Suite(.serialized)
struct FileCrashTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init)

    @Test(
        "Killed writers lose no acknowledged event and store none twice",
        arguments: ["process", "system"])
    func kill(durability: String) async throws {
        let kills = Self.kills ?? (durability == "process" ? 150 : 60)
        try await withTemporaryDirectory { directory in
            // Two writers of two clients, and a third that shares the first one's client.
            async let first = ChildProcess.onThread {
                try Self.run(kills / 3, client: "a", session: "one", durability, directory, seed: randomSeed)
            }
            async let second = ChildProcess.onThread {
                try Self.run(kills / 3, client: "b", session: "two", durability, directory, seed: randomSeed + 1)
            }
            async let third = ChildProcess.onThread {
                try Self.run(kills - kills / 3 * 2, client: "a", session: "three", durability, directory, seed: randomSeed + 2)
            }
            let acknowledged = try await [first, second, third]

            let told = Told()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            let events = try await store.fetchAllEvents()
            for (session, (last, records)) in zip(["one", "two", "three"], acknowledged) {
                let sequences = events.filter { $0.sessionId == session }.map(\.sequence)
                #expect(last > 0)
                #expect(sequences.count >= last, "seed \(randomSeed)")
                #expect(sequences == Array(1...UInt64(sequences.count)), "seed \(randomSeed)")
                for name in records { #expect(try await store.record(withID: .init(recordName: name)) != nil) }
            }
            #expect(try await store.countEvents() == events.count, "seed \(randomSeed)")
            #expect(try await store.countEvents(matching: .init(levels: [.info])) == events.count, "seed \(randomSeed)")
            // Events that are appended again are recognized as duplicates.
            try await store.append(events.suffix(50))
            #expect(try await store.countEvents() == events.count)
            #expect(told.all.allSatisfy { $0.kind == .tornTail }, "\(told.all)")
            #expect(try await store.deleteEvents(forClient: "a") == events.count { $0.clientId == "a" })
            #expect(try await store.fetchAllEvents().allSatisfy { $0.clientId == "b" })
        }
    }

    /// Kills one writer after another. Each starts a few events before the last acknowledged one.
    private static func run(
        _ kills: Int, client: String, session: String, _ durability: String, _ directory: URL, seed: UInt64
    ) throws -> (last: UInt64, records: [String]) {
        var last: UInt64 = 0
        var records: [String] = []
        var random = SeededGenerator(seed: seed)
        for _ in 0..<kills {
            let first = last - min(last, random.next() % 30) + (last == 0 ? 1 : 0)
            let writer = try ChildProcess(
                ChildProcess.built("TelemetryCrashWriter"),
                [directory.path, client, session, "\(max(first, 1))", durability, "\(random.next() % 1_000_000)"])
            // Killed while it writes, a random time after a random number of lines.
            let lines = Int(random.next() % 40)
            let spin = random.next() % 200_000
            let text = writer.killed(afterLines: lines, thenSpinning: spin)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if let number = UInt64(line) { last = max(last, number) }
                if line.hasPrefix("failed") { Issue.record("\(line), seed \(seed)") }
                if line.hasPrefix("record ") { records.append(String(line.dropFirst(7))) }
            }
        }
        return (last, records)
    }
}

extension ChildProcess {
    /// Reads a number of lines, kills the process after a short busy loop, and returns all that it printed.
    fileprivate consuming func killed(afterLines lines: Int, thenSpinning spin: UInt64) -> String {
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < lines, let more = read() { data += more }
        var noise = SeededGenerator(seed: spin)
        for _ in 0..<spin { _ = noise.next() }
        return String(decoding: data + kill().output, as: UTF8.self)
    }
}
#endif
