import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills writers at random times. `TELEMETRY_KILLS` sets the number of kills per test case, `TELEMETRY_SEED` their times.
@Suite(.serialized)
struct FileCrashTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init)
    private static let seed =
        ProcessInfo.processInfo.environment["TELEMETRY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1 << 32)

    @Test(
        "Killed writers lose no acknowledged event and store none twice",
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
            // Events that are appended again are recognized as duplicates.
            try await store.append(events.suffix(50))
            #expect(try await store.countEvents() == events.count)
            #expect(told.all.allSatisfy { $0.kind == .tornTail }, "\(told.all)")
            #expect(try await store.deleteEvents(forClient: "a") == events.count { $0.clientId == "a" })
            #expect(try await store.fetchAllEvents().allSatisfy { $0.clientId == "b" })
        }
    }

    /// Reading from a pipe blocks, so it needs threads of its own instead of the few that run tasks.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// Kills one writer after another. Each starts a few events before the last acknowledged one.
    private static func run(
        _ kills: Int, client: String, session: String, _ durability: String, _ directory: URL, seed: UInt64
    ) throws -> (last: UInt64, records: [String]) {
        var last: UInt64 = 0
        var records: [String] = []
        var random = SplitMix(state: seed)
        for _ in 0..<kills {
            let first = last - min(last, random.next() % 30) + (last == 0 ? 1 : 0)
            let victim = try Victim(
                writer,
                [directory.path, client, session, "\(max(first, 1))", durability, "\(random.next() % 1_000_000)"])
            // Killed while it writes, a random time after a random number of lines.
            let lines = Int(random.next() % 40)
            let spin = random.next() % 200_000
            let text = victim.read(lines: lines, thenKillAfter: spin)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if let number = UInt64(line) { last = max(last, number) }
                if line.hasPrefix("failed") { Issue.record("\(line), seed \(seed)") }
                if line.hasPrefix("record ") { records.append(String(line.dropFirst(7))) }
            }
        }
        return (last, records)
    }

    private static var writer: String {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: "TelemetryCrashWriter").path
    }
}

/// A process to kill, and its output. Foundation's `Process` keeps descriptors open for too long for thousands of processes.
private struct Victim {
    struct NotStarted: Error { let number: Int32 }

    private let identifier: pid_t
    private let output: Int32

    init(_ path: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        // Closed on exec: otherwise other victims would keep the pipe open.
        guard pipe(&ends) == 0, fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
            throw NotStarted(number: errno)
        }
        defer { close(ends[1]) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let number = posix_spawn(&identifier, path, &actions, nil, &words, environ)
        guard number == 0 else {
            close(ends[0])
            throw NotStarted(number: number)
        }
        self.identifier = identifier
        self.output = ends[0]
    }

    /// Reads the number of lines, kills the process after a short busy loop, and reads the rest.
    func read(lines: Int, thenKillAfter spin: UInt64) -> String {
        var data = Data()
        while data.count(where: { $0 == UInt8(ascii: "\n") }) < lines, let more = readOnce() { data += more }
        var noise = SplitMix(state: spin)
        for _ in 0..<spin { _ = noise.next() }
        kill(identifier, SIGKILL)
        while let more = readOnce() { data += more }
        close(output)
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return String(decoding: data, as: UTF8.self)
    }

    private func readOnce() -> Data? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = Foundation.read(output, &buffer, buffer.count)
            if count > 0 { return Data(buffer[..<count]) }
            if count == 0 || errno != EINTR { return nil }
        }
    }
}
#endif
