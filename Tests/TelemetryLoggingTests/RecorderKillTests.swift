import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

#if os(Linux) || os(macOS)
/// Kills processes that record, at random times, and reads their rings. `TELEMETRY_RECORDER_KILLS` sets the number of kills,
/// `TELEMETRY_SEED` their times.
@Suite(.serialized)
struct RecorderKillTests {
    private static let kills = ProcessInfo.processInfo.environment["TELEMETRY_RECORDER_KILLS"].flatMap(Int.init) ?? 30

    /// The size of the processes' rings.
    private static let ringBytes = 16 << 10

    @Test("After a kill the ring contains the last events of each thread without a gap, whole, and nothing else")
    func kill() async throws {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed)"
        var random = SeededGenerator()
        let spool = TemporaryDirectory()
        var known: Set<String> = []
        for run in 1...Self.kills {
            // Sometimes the next process takes the ring over before it is read.
            let runs = Bool.random(using: &random) ? ["\(run)"] : ["\(run)", "\(run)b"]
            var printed: [String] = []
            for name in runs {
                let moment = Int.random(in: 0..<6_000, using: &random)
                printed += try await ChildProcess.onThread {
                    try ChildProcess.killed(["--recorded", spool.url.path, name], after: moment)
                }
            }
            let captured = try await Self.capture(from: spool)
            #expect(captured.allSatisfy { $0.property1 == Self.property(of: $0.name) }, comment)
            #expect(known.isDisjoint(with: captured.map(\.name)), comment)
            known.formUnion(captured.map(\.name))
            check(captured.map(\.name), printed: printed, runs: runs)
        }
    }

    /// Compares what was read with what the processes printed.
    private func check(_ captured: [String], printed: [String], runs: [String]) {
        let comment: Comment = "TELEMETRY_SEED=\(randomSeed), runs \(runs)"
        #expect(Set(captured).count == captured.count, comment)
        for thread in runs.flatMap({ ["\($0).1", "\($0).2"] }) {
            let numbers = Self.numbers(of: thread, in: captured)
            let last = Self.numbers(of: thread, in: printed).last ?? 0
            // The last event may be recorded although it was not printed yet.
            if let first = numbers.first {
                #expect(numbers == Array(first..<(first + numbers.count)), comment)
                #expect(numbers.last == last || numbers.last == last + 1, comment)
            }
        }
        #expect(captured.allSatisfy { name in runs.contains { name.hasPrefix("\($0).") } }, comment)
        // An entry takes at most 200 bytes here.
        let least = (Self.ringBytes - 400) / 200
        #expect(captured.count >= min(printed.count, least), comment)
    }

    private static func numbers(of thread: String, in names: [String]) -> [Int] {
        names.compactMap { $0.hasPrefix("\(thread).") ? Int($0.dropFirst(thread.count + 1)) : nil }
    }

    /// The text that the process logs with the event.
    private static func property(of name: String) -> String? {
        guard let number = name.split(separator: ".").last.flatMap({ Int($0) }), number % 3 != 0 else { return nil }
        return String(repeating: "x", count: number % 100)
    }

    /// Captures the events as the host's next start does.
    private static func capture(from spool: TemporaryDirectory) async throws -> [TelemetryEvent] {
        let diagnostics = DiagnosticsLog()
        let transport = MockTelemetryTransport()
        let logger = TelemetryLogger(
            configuration: .init(
                spoolDirectory: spool.url, diagnostics: diagnostics.handler, recorder: .init(maximumBytes: ringBytes)),
            transport: transport)
        await logger.setRecordedScenarios(["Recorded"], level: .diagnostic)
        await logger.setClientIdentifier("client")
        await logger.activate(enabled: true)
        _ = await logger.dumpRecorded("Recorded", lookback: nil)
        await logger.flush()
        await logger.shutdown()
        #expect(diagnostics.kinds == [])
        // Not from a store, which would hide an event that was sent twice.
        return transport.calls(of: .append).flatMap { call -> [TelemetryEvent] in
            if case .append(let events) = call { events } else { [] }
        }.filter { $0.name != TelemetryLogger.sessionEventName }
    }
}
#endif
