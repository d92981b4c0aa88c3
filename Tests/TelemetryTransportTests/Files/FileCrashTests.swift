import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills writers at random moments. `TELEMETRY_KILLS` sets how many die in each test case, `TELEMETRY_SEED` when.
@Suite(.serialized)
struct FileCrashTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init)
    private static let seed =
        ProcessInfo.processInfo.environment["TELEMETRY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1 << 32)

    @Test(
        "Writers that are killed lose nothing that was acknowledged and leave nothing twice",
        arguments: ["process", "system"])
    func kill(durability: String) async throws {
        let kills = Self.kills ?? (durability == "process" ? 150 : 60)
        try await withTemporaryDirectory { directory in
            // Two writers of two clients, and a third that shares the first one's client.
            async let first = Self.onThread {
                try Self.run(kills / 3, client: "a", session: "one", durability, directory, seed: Self.seed)
            }
            async let second = Self.onThread {
                try Self.run(kills / 3, client: "b", session: "two", durability, directory, seed: Self.seed + 1)
            }
            async let third = Self.onThread {
                try Self.run(kills - kills / 3 * 2, client: "a", session: "three", durability, directory, seed: Self.seed + 2)
            }
            let acknowledged = try await [first, second, third]

            let told = Told()
            let store = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            let events = try await store.fetchAllEvents()
            for (session, (last, records)) in zip(["one", "two", "three"], acknowledged) {
                let sequences = events.filter { $0.sessionId == session }.map(\.sequence)
                #expect(last > 0)
                #expect(sequences.count >= last, "seed \(Self.seed)")
                #expect(sequences == Array(1...UInt64(sequences.count)), "seed \(Self.seed)")
                for name in records { #expect(try await store.record(withID: .init(recordName: name)) != nil) }
            }
            #expect(try await store.countEvents() == events.count, "seed \(Self.seed)")
            #expect(try await store.countEvents(matching: .init(levels: [.info])) == events.count, "seed \(Self.seed)")
            // What was sent once more is known, and what the dead had not told of is not.
            try await store.append(events.suffix(50))
            #expect(try await store.countEvents() == events.count)
            #expect(told.all.allSatisfy { $0.kind == .tornTail }, "\(told.all)")
            #expect(try await store.deleteEvents(forClient: "a") == events.count { $0.clientId == "a" })
            #expect(try await store.fetchAllEvents().allSatisfy { $0.clientId == "b" })
        }
    }

    /// Reading from a pipe blocks, which the threads that tasks run on are too few for.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// Lets one writer after the other die, each going on some events before where the last one ended.
    private static func run(
        _ kills: Int, client: String, session: String, _ durability: String, _ directory: URL, seed: UInt64
    ) throws -> (last: UInt64, records: [String]) {
        var last: UInt64 = 0
        var records: [String] = []
        var random = SplitMix(state: seed)
        for _ in 0..<kills {
            let process = Process()
            process.executableURL = writer
            let first = last - min(last, random.next() % 30) + (last == 0 ? 1 : 0)
            process.arguments = [
                directory.path, client, session, "\(max(first, 1))", durability, "\(random.next() % 1_000_000)",
            ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            let isDead = DispatchSemaphore(value: 0)
            process.terminationHandler = { _ in isDead.signal() }
            try process.run()
            // Killed while it writes, in the middle of whatever comes some lines later.
            let lines = Int(random.next() % 40)
            let spin = random.next() % 200_000
            let text = Self.read(output.fileHandleForReading, lines: lines, spin: spin, then: process.processIdentifier)
            isDead.wait()
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if let number = UInt64(line) { last = max(last, number) }
                if line.hasPrefix("record ") { records.append(String(line.dropFirst(7))) }
            }
        }
        return (last, records)
    }

    private static func read(_ output: FileHandle, lines: Int, spin: UInt64, then victim: Int32) -> String {
        var data = Data()
        var seen = 0
        while seen < lines {
            let more = output.availableData
            if more.isEmpty { break }
            data += more
            seen += more.count { $0 == UInt8(ascii: "\n") }
        }
        var noise = SplitMix(state: spin)
        for _ in 0..<spin { _ = noise.next() }
        _ = Foundation.kill(victim, SIGKILL)
        data += output.readDataToEndOfFile()
        return String(decoding: data, as: UTF8.self)
    }

    private static var writer: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: "TelemetryCrashWriter")
    }
}
#endif
