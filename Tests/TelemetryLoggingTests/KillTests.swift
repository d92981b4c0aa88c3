import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills processes that log, at random moments; `TELEMETRY_KILLS` sets how many.
@Suite(.serialized)
struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init) ?? 200

    /// So many die over one spool before it is delivered.
    private static let roundSize = 20

    @Test("Every event for which logEvent had returned when the process was killed is delivered, once", arguments: [false, true])
    func kill(delivers: Bool) async throws {
        var kills = delivers ? Self.kills / 4 : Self.kills - Self.kills / 4
        while kills > 0 {
            try await round(of: min(kills, Self.roundSize), delivers: delivers)
            kills -= Self.roundSize
        }
    }

    private func round(of kills: Int, delivers: Bool) async throws {
        let spool = TemporaryDirectory()
        let storage = TemporaryDirectory()
        let printed = try await Self.onThread {
            try (1...kills).flatMap { run in
                try Self.killOne([spool.url.path, "\(run)"] + (delivers ? [storage.url.path] : []))
            }
        }
        #expect(!printed.isEmpty)

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
        #expect(Set(names).count == names.count)
        #expect(Set(printed).subtracting(names).sorted().prefix(5) == [])
        for (session, events) in Dictionary(grouping: stored, by: \.sessionId) {
            #expect(events.map(\.sequence) == Array(1...UInt64(events.count)), "\(session)")
            #expect(events.allSatisfy { $0.clientId == "client" }, "\(session)")
        }
        #expect(!diagnostics.kinds.contains(.corruptFile))
        #expect(spool.names == [])
    }

    /// Reading from a pipe blocks, which the threads that tasks run on are too few for.
    private static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
        }
    }

    /// Starts a process, kills it some lines later, and returns all that it printed.
    private static func killOne(_ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        #if os(Linux)
        // A small pipe, so that a process is never far ahead of what was read.
        _ = fcntl(output.fileHandleForWriting.fileDescriptor, Self.setPipeSize, 4_096)
        #endif
        try process.run()
        let patience = Int.random(in: 0..<1_500)
        var bytes = Data()
        while bytes.count < patience, let chunk = try output.fileHandleForReading.read(upToCount: 64), !chunk.isEmpty {
            bytes += chunk
        }
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        // What is behind the last newline was not printed whole.
        return lines.dropLast().map(String.init)
    }

    /// `F_SETPIPE_SZ` of Linux, which Glibc's module leaves out.
    private static let setPipeSize: Int32 = 1_031

    private static var executable: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
        let folder = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
        return folder.appending(path: "TelemetryCrashLogger")
    }
}
#endif
