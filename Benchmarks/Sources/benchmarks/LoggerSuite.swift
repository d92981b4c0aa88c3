import Foundation
import Logging
import Measure
import Peers
@_spi(Tooling) import TelemetryLogging
import TelemetryModels
import TelemetrySwiftLog
import TelemetryTransport

/// Compares the logger with swift-log and with a logger of a common design.
struct LoggerSuite {
    let scale: Scale

    /// 64 texts of 50 bytes, so that no work can be reused between calls.
    static let properties = (0..<64).map { SampleEvents.property(UInt64($0)) }

    func run() async throws {
        print(try await off().run().text())
        print(try await scenarioOff(threads: 1).run().text())
        print(try await scenarioOff(threads: 4).run().text())
        print(try await enabled().run().text())
        print(try await redacted().run().text())
        print(try await enabledOnThreads().run().text())
        try await pacedCalls()
        print(try await endToEnd().run().text())
        print(try await memory().run().text())
        try await neverAsked()
    }

    /// An active logger with one enabled scenario, with a spool that survives the process by default.
    static func activeLogger(
        in directory: URL?, transport: any TelemetryEventTransport = NullTransport(), hasBudget: Bool = false,
        redaction: TelemetryRedaction = .none
    ) async -> TelemetryLogger {
        let room = 256 << 20
        let logger = TelemetryLogger(
            configuration: .init(
                spoolDirectory: directory, spool: .init(maximumBytes: room), memoryLimit: room, redaction: redaction),
            transport: transport)
        // More than all calls use up.
        if hasBudget { logger.limitScenarios(toEvents: 1 << 30, bytes: 1 << 40, per: .seconds(86_400)) }
        await logger.setClientIdentifier("hx4mkqzw2v")
        await logger.updateScenarioStates(["NetworkRequests": true])
        await logger.activate(enabled: true)
        return logger
    }

    /// Shuts a logger down and checks that it recorded the expected number of events.
    static func finish(_ logger: TelemetryLogger, expecting count: Int) async throws {
        await logger.flush()
        let statistics = logger.statistics
        await logger.shutdown()
        try expect(Int(statistics.delivered), count)
    }

    /// A swift-log logger with a minimum level.
    static func swiftLog(_ level: Logger.Level, handler: any LogHandler) -> Logger {
        var logger = Logger(label: "benchmark") { _ in handler }
        logger.logLevel = level
        return logger
    }

    /// A swift-log logger whose messages are events of the scenario.
    static func swiftLog(recordedBy logger: TelemetryLogger) -> Logger {
        Logger(label: "NetworkRequests") { label in TelemetryLogHandler(label: label, logger: logger) }
    }
}
