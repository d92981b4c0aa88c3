import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

#if os(Linux) || os(macOS)
/// Kills processes that log, at random times. `TELEMETRY_KILLS` sets the number of kills, `TELEMETRY_SEED` their times.
@Suite(.serialized)
struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_KILLS"].flatMap(Int.init) ?? 200

    /// The number of processes that are killed with one spool before it is delivered.
    private static let roundSize = 20

    @Test("Every event whose logEvent call had returned at the kill is delivered once", arguments: [false, true])
    func kill(delivers: Bool) async throws {
        var random = SeededGenerator(seed: randomSeed &+ (delivers ? 1 : 0))
        var kills = delivers ? Self.kills / 4 : Self.kills - Self.kills / 4
        while kills > 0 {
            let moments = (0..<min(kills, Self.roundSize)).map { _ in Int.random(in: 0..<1_500, using: &random) }
            try await round(moments, delivers: delivers)
            kills -= Self.roundSize
        }
    }

    /// - Parameter moments: The number of bytes that each process may print before it is killed.
    private func round(_ moments: [Int], delivers: Bool) async throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        let spool = TemporaryDirectory()
        let storage = TemporaryDirectory()
        let printed = try await ChildProcess.onThread {
            try moments.enumerated().flatMap { run, moment in
                try ChildProcess.killed([spool.url.path, "\(run + 1)"] + (delivers ? [storage.url.path] : []), after: moment)
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
        let names = stored.map(\.name).filter { !$0.hasPrefix("telemetry.") }
        #expect(Set(names).count == names.count, comment)
        #expect(Set(printed).subtracting(names).sorted().prefix(5) == [], comment)
        let ended = stored.filter { $0.name == TelemetryLogger.sessionEventName }.compactMap {
            $0.attributes["session"]?.stringValue
        }
        let last = logger.currentSessionId
        #expect(Set(ended).isSuperset(of: stored.map(\.sessionId).filter { $0 != last }), comment)
        #expect(ended.count <= moments.count && Set(ended).count == ended.count, comment)
        for (session, events) in Dictionary(grouping: stored, by: \.sessionId) {
            #expect(events.map(\.sequence) == Array(1...UInt64(events.count)), "\(session), \(comment)")
            #expect(events.allSatisfy { $0.clientId == "client" }, "\(session), \(comment)")
        }
        #expect(!diagnostics.kinds.contains(.corruptFile), comment)
        #expect(spool.names == [], comment)
    }
}
#endif
