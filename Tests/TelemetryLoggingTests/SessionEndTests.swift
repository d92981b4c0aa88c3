import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryLogging

struct SessionEndTests {
    private static let now = BootTime(boot: 1, seconds: 1_000)

    private static func mark(
        _ end: FatalSignals.End?, boot: UInt64 = 1, active: Double = 900, recordsSignals: Bool = true,
        memoryKills: OutOfMemoryKills? = nil
    ) -> SessionMark.Content {
        SessionMark.Content(
            session: "s", clientId: "c", appVersion: "2.1", process: ProcessIdentity(key: 1, number: 2),
            recordsSignals: recordsSignals, memoryKills: memoryKills, lastActive: 100,
            active: BootTime(boot: boot, seconds: active), end: end)
    }

    @Test(
        "A mark states how the process ended",
        arguments: [
            (mark(.signal(SIGSEGV, uptime: 900)), .signal(SIGSEGV)),
            (mark(.signal(SIGABRT, uptime: 900), boot: 2), .signal(SIGABRT)),
            // A crash reporter kept the process alive for a while.
            (mark(.signal(SIGBUS, uptime: 841)), .signal(SIGBUS)),
            // A handler of the host repaired what had caused the signal.
            (mark(.signal(SIGSEGV, uptime: 839)), .unknown),
            (mark(.signal(SIGSEGV, uptime: 839), boot: 2), .restart),
            (mark(.exit), .unknown),
            (mark(nil), .killed),
            (mark(nil, boot: 2), .restart),
            (mark(nil, recordsSignals: false), .unknown),
        ] as [(SessionMark.Content, EndedSession.End)])
    func end(mark: SessionMark.Content, end: EndedSession.End) {
        #expect(EndedSession.end(of: mark, in: .init(now: Self.now, memoryKills: nil)) == end)
    }

    private static func kills(_ count: UInt64, inode: UInt64 = 5, endsProcess: Bool = true) -> OutOfMemoryKills {
        OutOfMemoryKills(device: 4, inode: inode, count: count, endsProcess: endsProcess)
    }

    @Test(
        "A lack of memory is an end's cause only where the system's count means this process",
        arguments: [
            (mark(nil, memoryKills: kills(2)), kills(3), .outOfMemory, 1),
            (mark(nil, memoryKills: kills(2)), kills(2), .killed, nil),
            // Another group, or the same one anew.
            (mark(nil, memoryKills: kills(2)), kills(3, inode: 6), .killed, nil),
            (mark(nil, memoryKills: kills(2)), kills(1), .killed, nil),
            // Another process of the group may have been killed.
            (mark(nil, memoryKills: kills(2, endsProcess: false)), kills(4), .killed, 2),
            (mark(nil, memoryKills: kills(2)), kills(4, endsProcess: false), .killed, 2),
            (mark(nil, memoryKills: kills(2)), nil, .killed, nil),
            (mark(nil, memoryKills: nil), kills(3), .killed, nil),
            (mark(.exit, memoryKills: kills(2)), kills(3), .unknown, 1),
            (mark(nil, recordsSignals: false, memoryKills: kills(2)), kills(3), .unknown, 1),
            (mark(.signal(SIGSEGV, uptime: 900), memoryKills: kills(2)), kills(3), .signal(SIGSEGV), nil),
            (mark(nil, boot: 2, memoryKills: kills(2)), kills(3), .restart, nil),
        ] as [(SessionMark.Content, OutOfMemoryKills?, EndedSession.End, Int64?)])
    func memory(mark: SessionMark.Content, now: OutOfMemoryKills?, end: EndedSession.End, count: Int64?) throws {
        let context = EndedSession.Context(now: Self.now, memoryKills: now)
        #expect(EndedSession.end(of: mark, in: context) == end)
        let directory = TemporaryDirectory()
        let spool = try Spool(directory: directory.url)
        let file = SpoolFile(path: directory.url.path + "/mark", owner: spool.lock, system: spool.system)
        let event = EndedSession(mark: mark, file: file).event(at: 1_000, in: context) { nil }
        #expect(event.attributes["outOfMemoryKills"] == count.map { .int($0) })
        #expect(event.attributes["end"] == .string(end.name))
        file.remove()
        spool.close()
    }

    @Test("Of two sessions that were left, the first one's end is known by the count at the beginning of the second")
    func successiveSessions() throws {
        let directory = TemporaryDirectory()
        let spool = try Spool(directory: directory.url)
        let gate = ScenarioGate(isOpen: true) { 0 }
        let capture = EventCapture(configuration: .default, budgets: gate.budgets, now: nil, bootTime: { Self.now })
        var keeper = SessionKeeper(
            configuration: .default, capture: capture, bootTime: { Self.now }, memoryKills: { Self.kills(3) })
        keeper.add(
            [2, 3].map { count in
                EndedSession(
                    mark: Self.mark(nil, memoryKills: Self.kills(count)),
                    file: SpoolFile(path: "\(directory.url.path)/\(count)", owner: spool.lock, system: spool.system))
            })
        keeper.report()
        #expect(keeper.status.current.reported.map(\.end) == ["outOfMemory", "killed"])
        spool.close()
    }

    @Test("An ended session that was logged is shown until telemetry is turned off, and a mark while it exists")
    func status() async throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        let memory = SegmentMemory(count: SessionMark.bytes)
        memory.clear()
        _ = SessionMark(Self.mark(nil, recordsSignals: false), in: memory)
        try Data(memory.withBytes(in: 0..<SessionMark.bytes) { $0.array }).write(to: directory.url(of: "left-1.session"))
        let bench = Bench(.init(spoolDirectory: directory.url))
        #expect(bench.logger.sessionStatus == TelemetrySessionStatus())
        await bench.logger.setClientIdentifier("c")
        await bench.logger.activate(enabled: true)
        let status = bench.logger.sessionStatus
        #expect(status.isMarked)
        #expect(status.reported.map(\.session) == ["s"])
        #expect(status.reported.first?.lastActive == Date(timeIntervalSinceReferenceDate: 100))
        await bench.logger.setPaused(true)
        #expect(!bench.logger.sessionStatus.isMarked)
        #expect(bench.logger.sessionStatus.reported.count == 1)
        await bench.logger.setEnabled(false)
        #expect(bench.logger.sessionStatus == TelemetrySessionStatus())
        await bench.logger.shutdown()
    }

    @Test("What is written to a mark is read from its file")
    func coding() {
        for (clientId, memoryKills) in [(nil, nil), ("client", Self.kills(7)), ("", Self.kills(1, endsProcess: false))] {
            var content = Self.mark(nil, recordsSignals: false)
            content = SessionMark.Content(
                session: content.session, clientId: clientId, appVersion: content.appVersion, process: content.process,
                recordsSignals: false, memoryKills: memoryKills, lastActive: content.lastActive, active: content.active)
            let memory = SegmentMemory(count: SessionMark.bytes)
            memory.clear()
            let mark = SessionMark(content, in: memory)
            mark.touch(lastActive: 101.5, active: BootTime(boot: 1, seconds: 901))
            content.lastActive = 101.5
            content.active = BootTime(boot: 1, seconds: 901)
            #expect(memory.withBytes(in: 0..<SessionMark.bytes, SessionMark.read) == .content(content))
        }
    }

    @Test("No damage of a mark's file is taken for another end, except of the numbers that change")
    func damage() {
        let memory = SegmentMemory(count: SessionMark.bytes)
        memory.clear()
        _ = SessionMark(Self.mark(nil, recordsSignals: false), in: memory)
        let file = memory.withBytes(in: 0..<SessionMark.bytes) { $0.array }
        for index in Array(0..<8) + Array(32..<99) {
            var damaged = file
            damaged[index] ^= 0x41
            #expect(damaged.withByteView(SessionMark.read) == .corrupt, "byte \(index)")
        }
        for count in [7, 43, 60] {
            #expect(Array(file[..<count]).withByteView(SessionMark.read) == .corrupt, "\(count) bytes")
        }
        for count in [0, 4_096] {
            #expect([UInt8](repeating: 0, count: count).withByteView(SessionMark.read) == .empty)
        }
    }

    @Test("A logger marks its session from the first activation to the end of recording, and nothing before")
    func marks() async {
        let directory = TemporaryDirectory()
        let bench = Bench(.init(spoolDirectory: directory.url))
        let marks = { directory.names.count { $0.hasSuffix(".session") } }
        bench.logger.logEvent(name: "held")
        #expect(marks() == 0)
        await bench.logger.setClientIdentifier("client")
        await bench.logger.activate(enabled: true)
        #expect(marks() == 1)
        await bench.logger.setPaused(true)
        #expect(marks() == 0)
        await bench.logger.setPaused(false)
        #expect(marks() == 1)
        await bench.logger.setClientIdentifier("other")
        #expect(marks() == 1)
        await bench.logger.setEnabled(false)
        #expect(marks() == 0)
        await bench.logger.setEnabled(true)
        _ = await bench.logger.renewSession()
        #expect(marks() == 1)
        await bench.logger.shutdown()
        #expect(directory.names.isEmpty)
    }

    @Test("A logger that was released in the same process is no end of a process")
    func released() async throws {
        let directory = TemporaryDirectory()
        let copy: TemporaryDirectory
        do {
            let bench = await Bench.active(.init(spoolDirectory: directory.url))
            copy = try directory.copy()
            await bench.logger.shutdown()
        }
        #expect(copy.names.count { $0.hasSuffix(".session") } == 1)
        let next = await Bench.active(.init(spoolDirectory: copy.url))
        await next.logger.flush()
        #expect(try await next.storedNames.isEmpty)
        await next.logger.shutdown()
        #expect(copy.names.isEmpty)
    }

    @Test("The text of a backtracer's report about the process is found")
    func report() throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        try Data("*** Program crashed".utf8).write(to: directory.url(of: "host-77-1.0.log"))
        try Data("another".utf8).write(to: directory.url(of: "host-7-1.0.log"))
        try Data(String(repeating: "x\n", count: 50_000).utf8).write(to: directory.url(of: "host-8-1.0.log"))
        let reports = BacktraceReports(environment: ["SWIFT_BACKTRACE": "enable=yes,output-to=\(directory.url.path)"])
        let now = Date().timeIntervalSinceReferenceDate
        #expect(reports.text(ofProcess: 77, since: now - 60) == "*** Program crashed")
        #expect(reports.text(ofProcess: 77, since: now - 60, limit: 10) == "…")
        // Of an earlier process with the same number.
        #expect(reports.text(ofProcess: 77, since: now + 3_600) == nil)
        #expect(reports.text(ofProcess: 78, since: now - 60) == nil)
        #expect(reports.text(ofProcess: 8, since: now - 60)?.utf8.count == BacktraceReports.textLimit)
        #expect(BacktraceReports(environment: [:]).text(ofProcess: 77, since: now - 60) == nil)
        #expect(BacktraceReports(environment: ["SWIFT_BACKTRACE": "enable=yes"]).text(ofProcess: 77, since: now - 60) == nil)
    }
}
