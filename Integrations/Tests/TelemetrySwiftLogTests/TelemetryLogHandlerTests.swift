import Foundation
import Logging
import TelemetryLogging
import TelemetryModels
import TelemetrySwiftLog
import Testing

struct TelemetryLogHandlerTests {
    @Test("A message is recorded with its level, its metadata and where it was logged")
    func message() async throws {
        let log = await RecordedLog()
        log.logger().warning("declined", metadata: ["order": "42"], file: "Shop/Pay.swift", function: "pay()", line: 7)
        let event = try #require(try await log.events().first)
        #expect(event.name == TelemetryLogHandler.eventName)
        #expect(event.name == "log")
        #expect(event.scenario == "shop.payments")
        #expect(event.level == .info)
        #expect(event.property1 == "declined")
        #expect(
            event.attributes == [
                "order": "42", "level": "warning", "source": "Shop", "file": "Shop/Pay.swift", "function": "pay()", "line": 7,
            ])
    }

    @Test("trace and debug are recorded as diagnostic, every other level as info", arguments: Logger.Level.allCases)
    func levels(level: Logger.Level) async throws {
        let log = await RecordedLog()
        log.logger().log(level: level, "message")
        let event = try #require(try await log.events().first)
        #expect(event.level == ([.trace, .debug].contains(level) ? .diagnostic : .info))
        #expect(event.attributes["level"] == .string(level.rawValue))
    }

    @Test("The scenario is the label, or the one that is given")
    func scenario() async throws {
        let log = await RecordedLog(["Checkout": .init(isEnabled: true)])
        let handler = log.handler(scenario: "Checkout")
        Logger(label: RecordedLog.label) { _ in handler }.info("recorded")
        log.logger().info("not recorded")
        #expect(try await log.events().map(\.scenario) == ["Checkout"])
    }

    @Test("While the scenario is off, neither message nor metadata are evaluated", arguments: Logger.Level.allCases.dropLast())
    func off(level: Logger.Level) async throws {
        let log = await RecordedLog([:])
        let evaluations = Evaluations()
        let logger = log.logger(provider: .init { evaluations.note([:]) })
        logger.log(level: level, evaluations.note("message"), metadata: evaluations.note([:]))
        #expect(evaluations.count == 0)
        #expect(try await log.events() == [])
        await log.set(.init(isEnabled: true))
        logger.log(level: level, evaluations.note("message"), metadata: evaluations.note([:]))
        #expect(evaluations.count == 3)
        #expect(try await log.events().count == 1)
    }

    @Test("While the scenario is off, a critical message is evaluated and not recorded, and its provider is not called")
    func critical() async throws {
        let log = await RecordedLog([:])
        let (message, provided) = (Evaluations(), Evaluations())
        let logger = log.logger(provider: .init { provided.note([:]) })
        logger.critical(message.note("message"))
        #expect(message.count == 1)
        #expect(provided.count == 0)
        #expect(try await log.events() == [])
        await log.set(.init(isEnabled: true))
        logger.critical("recorded")
        #expect(try await log.events().map(\.property1) == ["recorded"])
    }

    @Test("The level follows the scenario while the program runs")
    func followsScenario() async throws {
        let log = await RecordedLog([:])
        let logger = log.logger()
        #expect(logger.logLevel == .critical)
        await log.set(.init(isEnabled: true, level: .diagnostic))
        #expect(logger.logLevel == .trace)
        await log.set(.init(isEnabled: true, level: .info))
        #expect(logger.logLevel == .info)
        logger.debug("not recorded")
        logger.info("recorded")
        #expect(try await log.events().map(\.property1) == ["recorded"])
        await log.set(.init(isEnabled: true, expires: .distantPast))
        #expect(logger.logLevel == .critical)
        await log.set(.init(isEnabled: true))
        #expect(logger.logLevel == .trace)
        await log.telemetry.setEnabled(false)
        #expect(logger.logLevel == .critical)
    }

    @Test("The context is the task's, then the metadata of the provider, then those of the logger")
    func context() async throws {
        let log = await RecordedLog()
        let evaluations = Evaluations()
        await log.set(
            .init(
                isEnabled: true, level: .info,
                contextConditions: [.init("user", .equals, ["4711"]), .init("plan", .notOneOf, ["free"])]))
        func send(_ message: String, to logger: Logger) { logger.info("\(evaluations.note(message))") }
        send("no context", to: log.logger())
        TelemetryContext.with(["user": "4711"]) {
            send("the task's", to: log.logger())
            send("another plan", to: log.logger(provider: .init { ["plan": "free"] }))
            var logger = log.logger()
            logger[metadataKey: "user"] = "1"
            send("another user in the metadata", to: logger)
        }
        var logger = log.logger(provider: .init { ["user": .stringConvertible(4711)] })
        logger[metadataKey: "user"] = "1"
        #expect(logger.logLevel == .info)
        send("the provider's", to: logger)
        logger.info("\(evaluations.note("own"))", metadata: ["user": "1"])
        #expect(evaluations.count == 4)
        let recorded = try await log.events().map(\.property1)
        #expect(recorded == ["the task's", "another user in the metadata", "the provider's", "own"])
    }

    @Test("The provider is not called where the values of the task decide")
    func decidedByTask() async throws {
        let log = await RecordedLog()
        await log.set(.init(isEnabled: true, contextConditions: [.init("user", .equals, ["4711"])]))
        let calls = Evaluations()
        let logger = log.logger(provider: .init { ["span": "\(calls.note(1))"] })
        for _ in 1...5 { TelemetryContext.with(["user": "1"]) { logger.error("another's") } }
        #expect(calls.count == 0)
        TelemetryContext.with(["user": "4711"]) { logger.error("recorded") }
        #expect(calls.count == 1)
        logger.error("undecided")
        #expect(calls.count > 1)
        #expect(try await log.events().map(\.property1) == ["recorded"])
    }

    @Test("The level that the program sets is a floor, whatever the scenario's state", arguments: Logger.Level.allCases)
    func floor(level: Logger.Level) async throws {
        let log = await RecordedLog()
        var logger = log.logger()
        logger.logLevel = level
        #expect(logger.logLevel == level)
        await log.set(.init(isEnabled: true, level: .info))
        #expect(logger.logLevel == max(level, .info))
        for other in Logger.Level.allCases { logger.log(level: other, "\(other)") }
        #expect(
            try await log.events().map(\.property1) == Logger.Level.allCases.filter { $0 >= max(level, .info) }.map(\.rawValue))
        await log.set(nil)
        #expect(logger.logLevel == .critical)
    }

    @Test("Level and metadata of a copy are independent of the original")
    func copies() async throws {
        let log = await RecordedLog()
        var first = log.logger()
        first.logLevel = .debug
        first[metadataKey: "owner"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "owner"] = "second"
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
        #expect(first[metadataKey: "owner"] == "first")
        #expect(second[metadataKey: "owner"] == "second")
    }

    @Test("An event has the time and the order of its message")
    func order() async throws {
        let log = await RecordedLog()
        let logger = log.logger()
        for number in 1...100 { logger.info("\(number)") }
        #expect(try await log.events().map(\.property1) == (1...100).map(String.init))
    }
}
