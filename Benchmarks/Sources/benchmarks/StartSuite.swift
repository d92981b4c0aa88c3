import ArgumentParser
import Foundation
import Measure
import Programs
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels

/// Measures a host's start, from the creation of the logger until its first event is taken.
struct StartSuite {
    let scale: Scale

    /// Each has a ring of 1 MiB.
    private static let scenarios = (1...4).map { "Scenario\($0)" }
    /// In nanoseconds.
    private static let aim = 50e6

    func run() async throws {
        let left = try Scratch()
        let spool = left.url.appending(path: "spool")
        try await LeaveRings.run(in: spool, scenarios: Self.scenarios)
        let (sent, afterCrash) = ("after a crash, which sends what was kept", "after a crash")
        let result = try await Comparison(
            "A start with \(Self.scenarios.count) full rings of 1 MiB, until the first event is taken",
            rounds: scale.effectiveRounds,
            contenders: [
                Self.contender("after a shutdown", files: nil, captures: false),
                Self.contender(afterCrash, files: spool, captures: false),
                Self.contender(sent, files: spool, captures: true),
            ]
        ).run()
        print(result.text())
        for name in [afterCrash, sent] {
            guard let median = result.median(of: name) else { continue }
            print(
                "- \(name): \(ratio(median / 1e6)) ms, aim ≤ \(ratio(Self.aim / 1e6)) ms: \(median <= Self.aim ? "met" : "not met")"
            )
        }
        print()
        withExtendedLifetime(left) {}
    }

    private static func contender(_ name: String, files: URL?, captures: Bool) -> Contender {
        Contender(name) {
            let scratch = try Scratch()
            let directory = scratch.url.appending(path: "spool")
            if let files { try FileManager.default.copyItem(at: files, to: directory) }
            let start = now()
            let (logger, service) = try await host(in: directory, scenarios: scenarios, captures: captures)
            await service.startup()
            await service.restorationFinished()
            logger.logEvent(name: "first")
            let time = now() - start
            let events = Int(logger.statistics.logged)
            // The first event, the report of the crash, and what was kept.
            guard files == nil ? events == 1 : captures ? events > 1_000 : events == 2 else {
                throw Miscount(description: "\(events) events were logged \(name)")
            }
            await service.shutdown()
            return Double(time)
        }
    }

    static func host(
        in spool: URL, scenarios: [String], captures: Bool
    ) async throws -> (TelemetryLogger, TelemetryLifecycleService) {
        let logger = TelemetryLogger(configuration: .init(spoolDirectory: spool), transport: NullTransport())
        let policy = TelemetryPolicy(recordedScenarios: Set(scenarios), capturesAfterCrash: captures)
        return (logger, try await LoggerSuite.approvedService(of: logger, policy: policy))
    }
}

/// A separate process that fills the flight recorder's rings and is killed.
struct LeaveRings: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The second process of the start suite.", shouldDisplay: false)

    @Argument var directory: String
    @Argument var scenarios: [String]

    static func run(in directory: URL, scenarios: [String]) async throws {
        guard let executable = Bundle.main.executableURL else { throw CocoaError(.executableNotLoadable) }
        let program = try await FinishedProgram.run(executable, ["leave-rings", directory.path] + scenarios)
        guard program.end == .killed(by: SIGKILL) else { throw Miscount(description: "\(program.end) \(program.errors)") }
    }

    func run() async throws {
        let (logger, service) = try await StartSuite.host(in: URL(filePath: directory), scenarios: scenarios, captures: false)
        await service.startup()
        await service.restorationFinished()
        for scenario in scenarios {
            // More than a ring has room for.
            for number in 0..<20_000 {
                logger.logEvent(name: "event", scenario: scenario, property1: LoggerSuite.properties[number % 64])
            }
        }
        kill(getpid(), SIGKILL)
    }
}
