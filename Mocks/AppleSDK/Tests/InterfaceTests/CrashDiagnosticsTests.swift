import Foundation
import MetricKit
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryLogging

/// What MetricKit reports about the crash of a session whose end this process has reported.
@Suite(.serialized)
struct CrashDiagnosticsTests {
    private static let tree = """
        {"callStackPerThread": true, "callStacks": [
          {"threadAttributed": false, "callStackRootFrames": [{"binaryName": "idle", "address": 1}]},
          {"threadAttributed": true, "callStackRootFrames": [
            {"binaryUUID": "70B89F27-1634-3580-A695-57CDB41D7743", "offsetIntoBinaryTextSegment": 74565, "sampleCount": 1,
             "binaryName": "Shop", "address": 7170766264, "subFrames": [
               {"binaryUUID": "70B89F27-1634-3580-A695-57CDB41D7743", "offsetIntoBinaryTextSegment": 12, "binaryName": "Shop",
                "address": 255, "subFrames": [{"binaryUUID": "A", "binaryName": "dyld", "offsetIntoBinaryTextSegment": 3, "address": 16}]}
             ]}]}]}
        """

    private static func diagnostic(ofProcess process: Int32) -> MXCrashDiagnostic {
        MXCrashDiagnostic(
            standInProcess: process, signal: 11, exceptionType: 1, exceptionCode: 2,
            terminationReason: "Namespace SIGNAL, Code 11, for ann@example.com", applicationVersion: "2.1", callStackTree: tree)
    }

    /// The events of diagnostics that are stored after a flush.
    private static func events(of logger: TelemetryLogger, in store: InMemoryTelemetryTransport) async throws -> [TelemetryEvent]
    {
        await logger.flush()
        let filter = TelemetryEventFilter(names: [TelemetryLogger.diagnosticEventName])
        return try await store.events(matching: filter, after: nil, limit: 100).events
    }

    /// A logger with a client, and with the marks of ended sessions of these processes.
    private static func logger(
        _ directory: TemporaryDirectory, leftBy processes: [Int32], _ store: InMemoryTelemetryTransport
    ) async throws -> TelemetryLogger {
        try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
        for process in processes {
            let memory = SegmentMemory(count: SessionMark.bytes)
            memory.clear()
            _ = SessionMark(
                SessionMark.Content(
                    session: "ended-\(process)", clientId: "c", appVersion: "2.1",
                    process: ProcessIdentity(key: UInt64(process), number: process), recordsSignals: false, memoryKills: nil,
                    lastActive: 100, active: BootTime(boot: 1, seconds: 900), end: nil), in: memory)
            try Data(memory.withBytes(in: 0..<SessionMark.bytes) { $0.array })
                .write(to: directory.url.appending(path: "left-\(process).session"))
        }
        return TelemetryLogger(configuration: .init(spoolDirectory: directory.url, redaction: .standard), transport: store)
    }

    @Test("A report about a reported session is logged once, redacted, and nothing after telemetry was turned off")
    func report() async throws {
        let directory = TemporaryDirectory()
        let store = InMemoryTelemetryTransport()
        let logger = try await Self.logger(directory, leftBy: [77, 79], store)
        await logger.setClientIdentifier("c")
        // Before opt-in there is no subscriber.
        MXMetricManager.shared.standInDeliver(Self.diagnostic(ofProcess: 77))
        await logger.activate(enabled: true)
        #expect(try await Self.events(of: logger, in: store).isEmpty)

        for process: Int32 in [78, -1, 77, 77] { MXMetricManager.shared.standInDeliver(Self.diagnostic(ofProcess: process)) }
        let event = try #require(try await Self.events(of: logger, in: store).first)
        #expect(event.attributes["session"] == .string("ended-77"))
        #expect(event.attributes["signal"] == .string("SIGSEGV"))
        #expect(event.property1 == "SIGSEGV")
        #expect(event.attributes["appVersion"] == .string("2.1"))
        #expect(event.attributes["exceptionType"] == .int(1))
        #expect(event.attributes["exceptionCode"] == .int(2))
        guard case .string(let reason)? = event.attributes["terminationReason"] else {
            Issue.record("There is no reason.")
            return
        }
        #expect(reason.hasPrefix("Namespace SIGNAL, Code 11"))
        #expect(!reason.contains("ann@"))
        #expect(
            event.attributes["backtrace"]
                == .string(
                    """
                    0 Shop + 74565 (0x1ab6935b8)
                    1 Shop + 12 (0xff)
                    2 dyld + 3 (0x10)

                    Shop 70B89F27-1634-3580-A695-57CDB41D7743
                    dyld A
                    """))
        #expect(try await Self.events(of: logger, in: store).count == 1)

        await logger.setEnabled(false)
        await logger.setEnabled(true)
        MXMetricManager.shared.standInDeliver(Self.diagnostic(ofProcess: 79))
        #expect(try await Self.events(of: logger, in: store).count == 1)
        await logger.shutdown()
    }

    @Test("A report that comes before that of its session, or during a pause, is logged afterwards")
    func early() async throws {
        let directory = TemporaryDirectory()
        let store = InMemoryTelemetryTransport()
        let logger = try await Self.logger(directory, leftBy: [77, 79], store)
        func sessions() async throws -> [TelemetryValue?] {
            try await Self.events(of: logger, in: store).map { $0.attributes["session"] }
        }
        // The sessions' client is not known yet.
        await logger.activate(enabled: true)
        MXMetricManager.shared.standInDeliver(Self.diagnostic(ofProcess: 77))
        #expect(try await sessions().isEmpty)
        await logger.setClientIdentifier("c")
        #expect(try await sessions() == [.string("ended-77")])
        await logger.setPaused(true)
        MXMetricManager.shared.standInDeliver(Self.diagnostic(ofProcess: 79))
        await logger.setPaused(false)
        #expect(try await sessions() == [.string("ended-77"), .string("ended-79")])
        await logger.shutdown()
    }

    @Test("A tree of another form is kept as it is, and so is one that is nested too deep")
    func forms() {
        for text in [
            "", "{", "[]", "{}", #"{"callStacks": 1}"#, #"{"callStacks": []}"#,
            #"{"callStacks": [{"threadAttributed": false, "callStackRootFrames": [{"binaryName": "Shop"}]}]}"#,
        ] {
            #expect(CallStackText.text(ofTree: Data(text.utf8)) == text)
        }
        func nested(_ count: Int) -> String {
            #"{"callStacks": [{"threadAttributed": true, "callStackRootFrames": "#
                + String(repeating: #"[{"binaryName": "a", "subFrames": "#, count: count) + "[]"
                + String(repeating: "}]", count: count) + "}]}"
        }
        #expect(CallStackText.text(ofTree: Data(nested(200).utf8)).hasPrefix("0 a + 0 (0x0)\n1 a + 0"))
        #expect(CallStackText.text(ofTree: Data(nested(300).utf8)) == nested(300))
    }
}
