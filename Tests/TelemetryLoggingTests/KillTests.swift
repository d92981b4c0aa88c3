import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills processes that log, at random times. `TELEMETRY_KILLS` sets the number of kills, `TELEMETRY_SEED` their times.
@Suite(.serialized)
struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init) ?? 200

    private static let seed =
        ProcessInfo.processInfo.environment["TELEMETRY_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)

    /// The number of processes that are killed with one spool before it is delivered.
    private static let roundSize = 20

    @Test("Every event whose logEvent call had returned at the kill is delivered once", arguments: [false, true])
    func kill(delivers: Bool) async throws {
        print("TELEMETRY_SEED=\(Self.seed)")
        var random = SplitMix(state: Self.seed &+ (delivers ? 1 : 0))
        var kills = delivers ? Self.kills / 4 : Self.kills - Self.kills / 4
        while kills > 0 {
            let moments = (0..<min(kills, Self.roundSize)).map { _ in Int.random(in: 0..<1_500, using: &random) }
            try await round(moments, delivers: delivers)
            kills -= Self.roundSize
        }
    }

    /// - Parameter moments: The number of bytes that each process may print before it is killed.
    private func round(_ moments: [Int], delivers: Bool) async throws {
        let comment: Comment = "TELEMETRY_SEED=\(Self.seed)"
        let spool = TemporaryDirectory()
        let storage = TemporaryDirectory()
        let printed = try await Self.onThread {
            try moments.enumerated().flatMap { run, moment in
                try Self.killOne([spool.url.path, "\(run + 1)"] + (delivers ? [storage.url.path] : []), after: moment)
            }
        }
        #expect(!printed.isEmpty, comment)

        let store: any TelemetryEventTransport =
            delivers ? try FileTelemetryTransport(directory: storage.url) : InMemoryTelemetryTransport()
        let diagnostics = DiagnosticsLog()
        let logger = TelemetryLogger(
            configuration: .init(
                spoolDirectory: spool.url, spool: .init(maximumBytes: 1 << 30), diagnostics: diagnostics.handler),
            transport: store)
        await logger.setClientIdentifier("client")
        await logger.activate(enabled: true)
        await logger.flush()
        await logger.shutdown()
        let stored = try await store.fetchAllEvents()
        let names = stored.map(\.name).filter { $0 != TelemetryLogger.droppedEventName }
        #expect(Set(names).count == names.count, comment)
        #expect(Set(printed).subtracting(names).sorted().prefix(5) == [], comment)
        for (session, events) in Dictionary(grouping: stored, by: \.sessionId) {
            #expect(events.map(\.sequence) == Array(1...UInt64(events.count)), "\(session), \(comment)")
            #expect(events.allSatisfy { $0.clientId == "client" }, "\(session), \(comment)")
        }
        #expect(!diagnostics.kinds.contains(.corruptFile), comment)
        #expect(spool.names == [], comment)
    }

    /// Reading from a pipe blocks, so it needs threads of its own instead of the few that run tasks.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// Starts a process, kills it a few lines later, and returns its complete output.
    private static func killOne(_ arguments: [String], after moment: Int) throws -> [String] {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        #if os(Linux)
        // A small pipe, so that a process is never far ahead of the reader.
        _ = fcntl(output.fileHandleForWriting.fileDescriptor, Self.setPipeSize, 4_096)
        #endif
        try process.run()
        var bytes = Data()
        while bytes.count < moment, let chunk = try output.fileHandleForReading.read(upToCount: 64), !chunk.isEmpty {
            bytes += chunk
        }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // A line without a newline was not printed completely.
        return lines.dropLast().map(String.init)
    }

    /// `F_SETPIPE_SZ` of Linux, which Glibc's module lacks.
    private static let setPipeSize: Int32 = 1_031

    private static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: "TelemetryCrashLogger")
    }
}
#endif
