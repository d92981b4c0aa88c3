import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// Logging while another thread creates a segment's file.
@Suite(.timeLimit(.minutes(10)))
struct SegmentFileTests {
    let directory = TemporaryDirectory()
    let gate = ThreadGate()
    let diagnostics = DiagnosticsLog()
    let capture: EventCapture

    init() {
        let configuration = TelemetryLogger.Configuration(
            spoolDirectory: directory.url, memoryLimit: 128 << 10, diagnostics: diagnostics.handler)
        capture = EventCapture(
            configuration: configuration.clamped, budgets: ScenarioBudgets { 0 }, now: { TelemetryFixtures.date },
            bootTime: { BootTime(boot: 1, seconds: 0) })
        capture.withState { $0.setClientId(TelemetryFixtures.clientId, isActivated: true) }
    }

    /// Opens a spool that creates files while the gate is open.
    /// - Parameter errno: The error with which the creation of a file fails.
    func openSpool(errno: Int32? = nil) throws {
        let system = FileSystem { [gate] operation, path in
            operation == .open && path.hasSuffix(Spool.segmentSuffix) ? gate.pass { errno } : nil
        }
        let spool = try Spool(directory: directory.url, system: system)
        capture.withState { $0.attach(spool, maximumBytes: 16 << 20) }
        capture.createFiles()
    }

    func log(_ name: String, _ property1: String? = nil) {
        capture.record(Admission(), name: name, scenario: nil, level: .info, property1: property1, attributes: [:])
    }

    /// Logs on a thread that is held while it creates the segment's file.
    func logAndHold(_ name: String) async { await gate.hold(call: 1) { log(name) } }

    /// Logs on a thread of its own, and returns when the calls have returned.
    func logOnThread(_ names: [String]) async throws {
        try await ChildProcess.onThread { for name in names { log(name) } }
    }

    /// The events that a logger delivers that starts after a kill.
    func recovered() async throws -> [TelemetryEvent] {
        let copy = try directory.copy()
        let bench = await Bench.active(.init(spoolDirectory: copy.url))
        await bench.logger.flush()
        #expect(bench.diagnostics.kinds.isEmpty)
        return try await bench.stored
    }

    var segments: [String] { directory.names.filter { $0.hasSuffix(Spool.segmentSuffix) } }

    @Test("An event that is logged while another thread creates the file does not wait, and is in the file once it is there")
    func doesNotWait() async throws {
        try openSpool()
        await logAndHold("first")
        try await logOnThread(["second"])
        #expect(capture.statistics.logged == 2)
        #expect(segments.isEmpty)
        await gate.open()
        log("third")
        #expect(segments.count == 1)
        let events = try await recovered()
        #expect(events.map(\.name) == ["first", "second", "third"])
        #expect(events.map(\.sequence) == [1, 2, 3])
        #expect(events.allSatisfy { $0.sessionId == capture.currentSessionId && $0.clientId == TelemetryFixtures.clientId })
    }

    @Test("Segments that fill up while the first one's file is created get files of their own, in the order of their events")
    func severalSegments() async throws {
        try openSpool()
        await logAndHold("0")
        try await logOnThread((1...2_000).map { "\($0)" })
        #expect(segments.count > 1)
        await gate.open()
        #expect(capture.statistics.logged == 2_001)
        #expect(try await recovered().map(\.sequence) == Array(1...2_001))
        // Only the newest segment's file is locked.
        let unlocked = try segments.filter { name in
            let file = try FileSystem().open(directory.url(of: name).path, for: .write)
            return try file.tryLock(.exclusive)
        }
        #expect(unlocked.count == segments.count - 1)
    }

    @Test(
        "A segment that is read while its file is created is delivered once, from memory and from the file",
        arguments: [false, true])
    func isRead(isSealed: Bool) async throws {
        try openSpool()
        await logAndHold("first")
        let range = try #require(capture.withState { $0.beginReading() })
        try await logOnThread(["second"])
        if isSealed { capture.withState { $0.seal() } }
        await gate.open()
        guard case .events(let batch) = DeliveryBatch.read(range, limits: .init(bytes: .max, oldest: 0)) else {
            Issue.record("No event was read.")
            return
        }
        #expect(batch.events.events.map(\.name) == ["first"])
        #expect(capture.withState { $0.offer(1, upTo: 1, of: range) })
        capture.withState {
            $0.endReading(range, at: batch.ends[0], clientId: batch.clientId, delivered: 1, dropped: (0, .rejected))
        }
        log("third")
        #expect(capture.statistics.delivered == 1)
        #expect(capture.statistics.waiting == 2)
        #expect(try await recovered().map(\.sequence) == [2, 3])
    }

    @Test("A file whose segment was delivered meanwhile is used for the next segment")
    func isDelivered() async throws {
        try openSpool()
        await logAndHold("first")
        capture.withState { $0.seal() }
        let range = try #require(capture.withState { $0.beginReading() })
        #expect(capture.withState { $0.offer(1, upTo: 1, of: range) })
        capture.withState { $0.endReading(range, at: range.to, clientId: nil, delivered: 1, dropped: (0, .rejected)) }
        await gate.open()
        #expect(segments.count == 1)
        log("second")
        #expect(segments.count == 1)
        #expect(try await recovered().map(\.sequence) == [2])
    }

    @Test(
        "If recording is turned off while the file is created, no file is left, and the events are counted",
        arguments: [false, true])
    func turnsOff(beginsAgain: Bool) async throws {
        try openSpool()
        await logAndHold("first")
        try await logOnThread(["second"])
        capture.withState {
            $0.discardAll()
            $0.beginSession()
        }
        if beginsAgain { try openSpool() }
        await gate.open()
        #expect(capture.statistics.dropped == [.disabled: 2])
        #expect(capture.statistics.waiting == 0)
        #expect(segments.isEmpty)
        if beginsAgain {
            log("new")
            let events = try await recovered()
            #expect(events.map(\.name) == ["new"])
            #expect(events.map(\.sessionId) == [capture.currentSessionId])
        } else {
            #expect(directory.names.isEmpty)
        }
    }

    @Test(
        "If the logger is shut down while the file is created, the next start finds the events in it", arguments: [false, true])
    func shutsDown(beginsAgain: Bool) async throws {
        try openSpool()
        let session = capture.currentSessionId
        await logAndHold("first")
        try await logOnThread(["second"])
        capture.withState { $0.detach() }
        #expect(capture.statistics.waiting == 2)
        if beginsAgain {
            capture.withState { $0.beginSession() }
            try openSpool()
        }
        await gate.open()
        #expect(capture.statistics.waiting == 2)
        #expect(segments.count == 1)
        let events = try await recovered()
        #expect(events.map(\.name) == ["first", "second"])
        #expect(events.map(\.sessionId) == [session, session])
        if !beginsAgain {
            // Without a copy of the directory: the logger does not hold the file any more.
            let next = await Bench.active(.init(spoolDirectory: directory.url))
            #expect(next.logger.statistics.recovered == 2)
        }
    }

    @Test("If the file cannot be created, the events stay in memory, and the failure is reported once")
    func fails() async throws {
        try openSpool(errno: ENOSPC)
        await logAndHold("first")
        try await logOnThread(["second"])
        #expect(diagnostics.kinds.isEmpty)
        await gate.open()
        for number in 0..<1_000 { log("\(number)") }
        #expect(diagnostics.kinds == [.storageFailed])
        #expect(segments.isEmpty)
        #expect(capture.statistics.waiting == 1_002)
        let range = try #require(capture.withState { $0.beginReading() })
        guard case .events(let batch) = DeliveryBatch.read(range, limits: .init(bytes: .max, oldest: 0)) else {
            Issue.record("No event was read.")
            return
        }
        #expect(batch.events.events.prefix(2).map(\.name) == ["first", "second"])
    }

    @Test("Events that are held until the spool is opened get their files while others log")
    func held() async throws {
        for number in 1...1_000 { log("\(number)") }
        await gate.hold(call: 2) { try? openSpool() }
        try await logOnThread(["1001"])
        #expect(capture.statistics.logged == 1_001)
        await gate.open()
        #expect(try await recovered().map(\.sequence) == Array(1...1_001))
    }
}
