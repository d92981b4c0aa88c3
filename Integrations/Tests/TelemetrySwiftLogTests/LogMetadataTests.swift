import Foundation
import Logging
import TelemetryModels
import TelemetrySwiftLog
import Testing

struct LogMetadataTests {
    @TaskLocal static var request: String?

    @Test("Metadata of the message take precedence over the provider's, and those over the logger's")
    func precedence() async throws {
        let log = await RecordedLog()
        var logger = log.logger(provider: .init { ["b": "provider", "c": "provider"] })
        for key in ["a", "b", "c"] { logger[metadataKey: key] = "logger" }
        logger.info("message", metadata: ["c": "message"])
        #expect(try await log.metadata() == ["a": "logger", "b": "provider", "c": "message"])
    }

    @Test("A metadata provider is called in the task that logs")
    func taskLocal() async throws {
        let log = await RecordedLog()
        let logger = log.logger(provider: .init { LogMetadataTests.request.map { ["request": "\($0)"] } ?? [:] })
        LogMetadataTests.$request.withValue("r-17") { logger.info("message") }
        #expect(try await log.metadata() == ["request": "r-17"])
    }

    @Test("The task's logger records the metadata that was merged into it")
    func taskLogger() async throws {
        let log = await RecordedLog()
        withLogger(log.logger()) { _ in
            withLogger(mergingMetadata: ["request": "r-17"]) { logger in logger.info("message") }
        }
        #expect(try await log.metadata() == ["request": "r-17"])
    }

    @Test("A provider that is set later is used")
    func laterProvider() async throws {
        let log = await RecordedLog()
        var logger = log.logger()
        logger.handler.metadataProvider = .init { ["from": "later"] }
        logger.info("message")
        #expect(try await log.metadata() == ["from": "later"])
    }

    static let nested: [(Logger.Metadata, [String: TelemetryValue])] = [
        (["a": ["b": ["c": "1"]]], ["a.b.c": "1"]),
        (["tags": ["x", "y"]], ["tags.0": "x", "tags.1": "y"]),
        (["a": [["b": "1"], ["b": "2"]]], ["a.0.b": "1", "a.1.b": "2"]),
        (["list": [], "dictionary": [:], "text": ""], ["text": ""]),
        (["number": .stringConvertible(42), "flag": .stringConvertible(true)], ["number": "42", "flag": "true"]),
        // The name that was written in full takes precedence, in any order of the dictionary.
        (["a.b": "full", "a": ["b": "nested"]], ["a.b": "full"]),
        (["a": ["b": ["c": "x"], "b.c": "y"]], ["a.b.c": "x"]),
    ]

    static let sensitive: [(Logger.Metadata, [String: TelemetryValue])] = [
        (["email": "\("a@b.c", sensitivity: .sensitive)", "id": "4711"], ["email": "<redacted>", "id": "4711"]),
        (["email": "user \("a@b.c", sensitivity: .sensitive) of \(3)"], ["email": "<redacted>"]),
        (["email": .attributed("a@b.c", attributes: [TelemetrySensitivity.sensitive])], ["email": "<redacted>"]),
        (
            ["user": ["email": "\("a@b.c", sensitivity: .sensitive)", "id": "4711"]],
            ["user.email": "<redacted>", "user.id": "4711"]
        ),
        (["users": ["\("a@b.c", sensitivity: .sensitive)", "d"]], ["users.0": "<redacted>", "users.1": "d"]),
        (["level": "\("secret", sensitivity: .sensitive)"], ["metadata.level": "<redacted>"]),
    ]

    @Test("A sensitive value is not recorded", arguments: sensitive)
    func markedValues(metadata: Logger.Metadata, expected: [String: TelemetryValue]) async throws {
        let log = await RecordedLog()
        log.logger().info("message", metadata: metadata)
        #expect(try await log.metadata() == expected)
    }

    @Test("A sensitive value of the logger's or the provider's metadata is not recorded, but decides like another")
    func sensitiveContext() async throws {
        let log = await RecordedLog()
        await log.set(.init(isEnabled: true, contextConditions: [.init("user", .equals, ["4711"])]))
        var logger = log.logger(provider: .init { ["session": "\("s", sensitivity: .sensitive)"] })
        logger[metadataKey: "user"] = "\(4711, sensitivity: .sensitive)"
        logger.info("message")
        #expect(try await log.metadata() == ["user": "<redacted>", "session": "<redacted>"])
    }

    @Test("Nested metadata are flattened with dots, and elements of lists are numbered from 0", arguments: nested)
    func flattened(metadata: Logger.Metadata, expected: [String: TelemetryValue]) async throws {
        let log = await RecordedLog()
        log.logger().info("message", metadata: metadata)
        #expect(try await log.metadata() == expected)
    }

    @Test("Metadata do not replace the handler's attributes, and keep their values under another name")
    func ownAttributes() async throws {
        let log = await RecordedLog()
        let names = ["source", "file", "line", "function", "level"]
        let metadata = Logger.Metadata(uniqueKeysWithValues: names.map { ($0, "mine") })
        log.logger().info("message", metadata: metadata, file: "Shop/Pay.swift", function: "pay()", line: 7)
        let attributes = try #require(try await log.events().first).attributes
        let own: [String: TelemetryValue] = [
            "source": "Shop", "file": "Shop/Pay.swift", "line": 7, "function": "pay()", "level": "info",
        ]
        #expect(
            attributes
                == own.merging(names.map { ("metadata.\($0)", .string("mine")) }) { own, _ in own })
    }

    @Test("A nested name that is the same as a handler's attribute once it is flattened does not exist")
    func nestedOwnAttributes() async throws {
        let log = await RecordedLog()
        log.logger().info("message", metadata: ["level": ["a": "1"], "line": ["2"]])
        let attributes = try #require(try await log.events().first).attributes
        #expect(attributes["level"] == "info")
        #expect(attributes["level.a"] == "1")
        #expect(attributes["line.0"] == "2")
    }

    struct Refused: Error, CustomStringConvertible { let description = "card refused" }

    @Test("An error becomes attributes with its message and type")
    func error() async throws {
        let log = await RecordedLog()
        log.logger().error("failed", error: Refused(), metadata: ["error.message": "other"])
        let metadata = try await log.metadata()
        #expect(metadata["error.message"] == "card refused")
        #expect(metadata["error.type"]?.stringValue?.hasSuffix("LogMetadataTests.Refused") == true)
    }

    @Test("Attributes of a value, such as its sensitivity, do not change its text")
    func attributedValue() async throws {
        let log = await RecordedLog()
        log.logger().info("message", metadata: ["user": .attributed("ann", attributes: [])])
        #expect(try await log.metadata() == ["user": "ann"])
    }
}
