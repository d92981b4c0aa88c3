import InMemoryLogging
import Logging
import TelemetryModels
import TelemetrySwiftLog
import Testing

struct MultiplexTests {
    @Test("A scenario that is enabled later gets messages below the level of the other handlers, and they do not")
    func laterEnabled() async throws {
        let log = await RecordedLog([:])
        let (handler, console) = (log.handler(), InMemoryLogHandler())
        let logger = Logger(label: RecordedLog.label) { _ in TelemetryMultiplexLogHandler([console, handler]) }
        let evaluations = Evaluations()
        logger.debug(evaluations.note("before"))
        logger.info("console only")
        #expect(evaluations.count == 0)
        await log.set(.init(isEnabled: true))
        logger.debug("diagnostic")
        logger.info("both")
        #expect(try await log.events().map(\.property1) == ["diagnostic", "both"])
        #expect(console.entries.map(\.message) == ["console only", "both"])
    }

    @Test("Level and metadata are set on every handler")
    func setters() async throws {
        let log = await RecordedLog()
        let (handler, console) = (log.handler(), InMemoryLogHandler())
        var logger = Logger(label: RecordedLog.label) { _ in TelemetryMultiplexLogHandler([console, handler]) }
        logger[metadataKey: "order"] = "42"
        #expect(logger[metadataKey: "order"] == "42")
        #expect(logger.handler.metadata == ["order": "42"])
        logger.logLevel = .warning
        #expect(logger.logLevel == .warning)
        logger.info("neither")
        logger.error("both")
        #expect(try await log.metadata() == ["order": "42"])
        #expect(console.entries.map(\.metadata) == [["order": "42"]])
        logger.handler.metadata = [:]
        #expect(logger[metadataKey: "order"] == nil)
    }

    @Test("A metadata provider is set on every handler, and the providers of all handlers are read as one")
    func providers() async throws {
        let log = await RecordedLog()
        let handler = log.handler(provider: .init { ["a": "1"] })
        var console = InMemoryLogHandler()
        #expect(TelemetryMultiplexLogHandler([console]).metadataProvider == nil)
        console.metadataProvider = .init { ["b": "2"] }
        var both = TelemetryMultiplexLogHandler([console, handler])
        #expect(both.metadataProvider?.get() == ["a": "1", "b": "2"])
        both.metadataProvider = .init { ["c": "3"] }
        let logger = Logger(label: RecordedLog.label) { [both] _ in both }
        logger.info("both")
        #expect(try await log.metadata() == ["c": "3"])
        #expect(console.entries.map(\.metadata) == [["c": "3"]])
    }

    @Test("Below swift-log's own multiplexer, messages that it passes on are recorded while the scenario is on")
    func swiftLogsMultiplexer() async throws {
        let log = await RecordedLog([:])
        let (handler, console) = (log.handler(), InMemoryLogHandler())
        let logger = Logger(label: RecordedLog.label) { _ in MultiplexLogHandler([console, handler]) }
        logger.info("console only")
        await log.set(.init(isEnabled: true, level: .info))
        logger.info("both")
        #expect(try await log.events().map(\.property1) == ["both"])
        #expect(console.entries.map(\.message) == ["console only", "both"])
    }
}
