import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

#if os(Linux) || os(macOS)
/// Processes that log and end in one of several ways. `TELEMETRY_ENDS` sets their number.
@Suite(.serialized)
struct ProcessEndTests {
    private static let count = ProcessInfo.processInfo.environment["TELEMETRY_ENDS"].flatMap(Int.init) ?? 5

    /// What a failed check of Swift's runtime ends a program with.
    private static let trap: String = {
        #if arch(x86_64)
        "SIGILL"
        #else
        "SIGTRAP"
        #endif
    }()

    @Test(
        "The next start reports how a process ended, and sends once what it and the flight recorder kept",
        arguments: [
            ("nullPointer", "signal", "SIGSEGV"), ("abort", "signal", "SIGABRT"), ("trap", "signal", trap),
            ("handled", "signal", "SIGSEGV"), ("kill", "killed", nil), ("exit", "unknown", nil), ("shutdown", nil, nil),
        ] as [(String, String?, String?)])
    func end(_ way: String, end: String?, signal: String?) async throws {
        for run in 1...Self.count {
            let spool = TemporaryDirectory()
            let started = Date().addingTimeInterval(-1)
            let lines = try await ChildProcess.onThread {
                try ChildProcess.ended(["--end", way, spool.url.path, "\(run)"])
            }
            #expect(lines.contains("handled") == (way == "handled"))
            let printed = lines.filter { $0 != "handled" }
            #expect(printed.count == 20)
            let sent = try await Self.start(with: spool)
            let kept = end == nil ? printed.filter { !Self.isRecorded($0) } : printed
            #expect(sent.filter { $0.name != TelemetryLogger.sessionEventName }.map(\.name).sorted() == kept.sorted())
            let ends = sent.filter { $0.name == TelemetryLogger.sessionEventName }
            #expect(ends.map { $0.attributes["end"]?.stringValue } == [end].compactMap(\.self))
            guard let report = ends.first else { continue }
            #expect(report.attributes["signal"]?.stringValue == signal)
            let first = try #require(sent.first { $0.name == printed[0] })
            #expect(report.attributes["session"]?.stringValue == first.sessionId)
            #expect(report.attributes["appVersion"]?.stringValue == first.device.appVersion)
            #expect(report.scenario == nil)
            let lastActive = try #require(report.attributes["lastActive"]?.dateValue)
            #expect(started...Date() ~= lastActive)
        }
    }

    @Test("Another client does not get the report, and it is removed if telemetry is off")
    func consent() async throws {
        for isEnabled in [true, false] {
            let spool = TemporaryDirectory()
            _ = try await ChildProcess.onThread { try ChildProcess.ended(["--end", "kill", spool.url.path, "1"]) }
            #expect(spool.names.count { $0.hasSuffix(".session") } == 1)
            let bench = Bench(.init(spoolDirectory: spool.url), now: nil)
            await bench.logger.setClientIdentifier("other")
            await bench.logger.activate(enabled: isEnabled)
            await bench.logger.flush()
            #expect(try await !bench.storedNames.contains(TelemetryLogger.sessionEventName))
            await bench.logger.shutdown()
            #expect(spool.names.filter { $0.hasSuffix(".session") } == [])
        }
    }

    @Test("After an end, what the recorder kept is sent only if the policy says so, however long ago the end was")
    func capture() async throws {
        for isCaptured in [false, true] {
            let spool = TemporaryDirectory()
            let printed = try await ChildProcess.onThread { try ChildProcess.ended(["--end", "kill", spool.url.path, "1"]) }
            let sent = try await Self.start(with: spool, captures: isCaptured, now: { Date() + 3_600 })
            #expect(sent.filter { Self.isRecorded($0.name) }.map(\.name) == (isCaptured ? printed.filter(Self.isRecorded) : []))
        }
    }

    @Test("What the recorder kept before an end is sent at once, without a flush")
    func delivery() async throws {
        let spool = TemporaryDirectory()
        let printed = try await ChildProcess.onThread { try ChildProcess.ended(["--end", "kill", spool.url.path, "1"]) }
        let bench = Bench(.init(spoolDirectory: spool.url), now: nil)
        await bench.logger.setRecordedScenarios(["Recorded"], level: .diagnostic, capturesAfterCrash: true)
        await bench.logger.setClientIdentifier("client")
        await bench.logger.activate(enabled: true)
        // The clock stands still.
        await bench.transport.called { calls in
            let sent = calls.flatMap { call in if case .append(let events) = call { events.map(\.name) } else { [String]() } }
            return Set(printed).isSubset(of: sent)
        }
        await bench.logger.shutdown()
    }

    /// A process that was killed, and an hour later a start that is paused.
    private static func pausedStart(afterKillIn spool: TemporaryDirectory) async throws -> (printed: [String], bench: Bench) {
        let path = spool.url.path
        let printed = try await ChildProcess.onThread { try ChildProcess.ended(["--end", "kill", path, "1"]) }
        let bench = Bench(.init(spoolDirectory: spool.url), now: { Date() + 3_600 })
        await bench.logger.setRecordedScenarios(["Recorded"], level: .diagnostic, capturesAfterCrash: true)
        await bench.logger.setClientIdentifier("client")
        await bench.logger.setPaused(true)
        await bench.logger.activate(enabled: true)
        return (printed, bench)
    }

    @Test("A start while telemetry is paused keeps what the recorder had kept before an end, and reports the end after the pause")
    func paused() async throws {
        let spool = TemporaryDirectory()
        let (printed, bench) = try await Self.pausedStart(afterKillIn: spool)
        #expect(bench.transport.calls(of: .append).isEmpty)
        // A pause may be longer than one process.
        await bench.logger.shutdown()
        #expect(bench.transport.calls(of: .append).isEmpty)
        let sent = try await Self.start(with: spool, now: { Date() + 7_200 })
        #expect(Set(sent.map(\.name)) == Set(printed + [TelemetryLogger.sessionEventName]))
    }

    @Test("The end of a pause reports an end before it")
    func resumed() async throws {
        let spool = TemporaryDirectory()
        let (printed, bench) = try await Self.pausedStart(afterKillIn: spool)
        await bench.logger.setPaused(false)
        await bench.logger.flush()
        #expect(try await Set(bench.storedNames) == Set(printed + [TelemetryLogger.sessionEventName]))
        await bench.logger.shutdown()
    }

    #if os(Linux)
    /// A control group whose memory is limited to less than 256 MiB, without swap, and to which this process may move others.
    private static let memoryGroup = ProcessInfo.processInfo.environment["TELEMETRY_MEMORY_GROUP"]

    @Test(
        "A process that the system killed for lack of memory is reported as such if no other process is in its control group",
        .enabled(if: memoryGroup != nil, "TELEMETRY_MEMORY_GROUP names a control group"), arguments: [true, false])
    func outOfMemory(isOnly: Bool) async throws {
        let group = try #require(Self.memoryGroup)
        let spool = TemporaryDirectory()
        /// Runs the helper program in the group, alone or with a shell.
        func run(_ arguments: [String]) async throws -> [String] {
            let script = "echo $$ > '\(group)/cgroup.procs' && \(isOnly ? "exec" : "") \"$@\"; exit 0"
            return try await ChildProcess.onThread {
                let shell = URL(filePath: "/bin/sh")
                let words = ["-c", script, "sh", ChildProcess.built("TelemetryCrashLogger").path] + arguments
                return String(decoding: try ChildProcess(shell, words).end(), as: UTF8.self).split(separator: "\n").map(
                    String.init)
            }
        }
        #expect(try await run(["--end", "memory", spool.url.path, "1"]).count == 20)
        #expect(try await run(["--report", spool.url.path]) == [isOnly ? "outOfMemory 1" : "killed 1"])
        #expect(try await run(["--end", "kill", spool.url.path, "1"]).count == 20)
        #expect(try await run(["--report", spool.url.path]) == ["killed 0"])
    }
    #endif

    /// Every second event is of a scenario that only the flight recorder keeps.
    private static func isRecorded(_ name: String) -> Bool {
        name.split(separator: ".").last.flatMap { Int($0) }?.isMultiple(of: 2) ?? false
    }

    /// What the host's next start sends.
    private static func start(
        with spool: TemporaryDirectory, captures: Bool = true, now: (@Sendable () -> Date)? = nil
    ) async throws -> [TelemetryEvent] {
        let bench = Bench(.init(spoolDirectory: spool.url), now: now)
        await bench.logger.setRecordedScenarios(["Recorded"], level: .diagnostic, capturesAfterCrash: captures)
        await bench.logger.setClientIdentifier("client")
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        await bench.logger.shutdown()
        #expect(bench.diagnostics.kinds == [])
        #expect(spool.names.allSatisfy { $0 == "recorder" })
        // Not from a store, which would hide an event that was sent twice.
        return bench.transport.calls(of: .append).flatMap { call -> [TelemetryEvent] in
            if case .append(let events) = call { events } else { [] }
        }
    }
}
#endif
