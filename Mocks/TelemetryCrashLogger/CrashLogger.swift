import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Logs as fast as possible and reports it, line by line, until it is killed by the logger's kill test.
///
/// `TelemetryCrashLogger SPOOL RUN [STORE]`: two threads log events named `RUN.THREAD.NUMBER` and print each name once `logEvent`
/// has returned. They are sent to the file store in STORE. Without STORE every append fails. Only one thread logs at a time: while
/// it creates a segment's file, the events of other threads would not be in a file yet.
///
/// `TelemetryCrashLogger --recorded SPOOL RUN`: they are events of the scenario "Recorded", which only the flight recorder keeps.
///
/// `TelemetryCrashLogger --end END SPOOL RUN`: see ``CrashEnd``.
///
/// `TelemetryCrashLogger --report SPOOL`: prints how the sessions ended that were left in SPOOL.
@main
enum CrashLogger {
    static func main() async throws {
        if CommandLine.arguments.dropFirst().first == "--end" {
            guard CommandLine.arguments.count == 5, let end = CrashEnd(rawValue: CommandLine.arguments[2]) else { exit(64) }
            return try await end.perform(spool: CommandLine.arguments[3], run: CommandLine.arguments[4])
        }
        if CommandLine.arguments.dropFirst().first == "--report" {
            guard CommandLine.arguments.count == 3 else { exit(64) }
            return try await report(spool: CommandLine.arguments[2])
        }
        let isRecorded = CommandLine.arguments.dropFirst().first == "--recorded"
        var arguments = CommandLine.arguments
        if isRecorded { arguments.remove(at: 1) }
        guard arguments.count == 3 || arguments.count == 4 else { exit(64) }
        // Small segments, so that a process is often killed while it begins the next one.
        let configuration = TelemetryLogger.Configuration(
            spoolDirectory: URL(filePath: arguments[1]), spool: .init(maximumBytes: 1 << 30), memoryLimit: 128 << 10,
            recorder: .init(maximumBytes: 16 << 10))
        let transport: any TelemetryEventTransport =
            arguments.count == 4
            ? try FileTelemetryTransport(directory: URL(filePath: arguments[3])) : UnreachableTransport()
        let logger = TelemetryLogger(configuration: configuration, transport: transport)
        if isRecorded { await logger.setRecordedScenarios(["Recorded"], level: .diagnostic) }
        await logger.setClientIdentifier("client")
        await logger.activate(enabled: true)
        for thread in 1...2 {
            let prefix = "\(arguments[2]).\(thread)"
            Thread { log(to: logger, in: isRecorded ? "Recorded" : nil, as: prefix) }.start()
        }
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    private static func report(spool: String) async throws {
        let transport = InMemoryTelemetryTransport()
        let logger = TelemetryLogger(
            configuration: .init(spoolDirectory: URL(filePath: spool), recordsSignals: true), transport: transport)
        await logger.setClientIdentifier("client")
        await logger.activate(enabled: true)
        await logger.shutdown()
        let events = try await transport.events(
            matching: .init(names: [TelemetryLogger.sessionEventName]), after: nil, limit: .max
        ).events
        for event in events {
            let end = event.attributes["end"]?.stringValue ?? ""
            let kills = event.attributes["outOfMemoryKills"]?.intValue ?? 0
            FileHandle.standardOutput.write(Data("\(end) \(kills)\n".utf8))
        }
    }

    private static let turn = Mutex(())

    private static func log(to logger: TelemetryLogger, in scenario: String?, as prefix: String) {
        var number = 0
        while true {
            number += 1
            let name = "\(prefix).\(number)"
            let property1 = number % 3 == 0 ? nil : String(repeating: "x", count: number % 100)
            if let scenario {
                logger.logEvent(name: name, scenario: scenario, property1: property1)
            } else {
                turn.withLock { _ in logger.logEvent(name: name, property1: property1) }
            }
            // One call, so that a line is printed completely or not at all.
            FileHandle.standardOutput.write(Data((name + "\n").utf8))
        }
    }
}

/// A store that can never be reached.
struct UnreachableTransport: TelemetryEventTransport {
    func append(_ events: [TelemetryEvent]) async throws { throw error }
    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage { throw error }
    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { throw error }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { throw error }

    private var error: TelemetryTransportError { TelemetryTransportError(code: .unavailable, message: "Never reachable.") }
}
