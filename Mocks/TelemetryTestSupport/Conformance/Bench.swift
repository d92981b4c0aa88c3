import Foundation
import TelemetryModels
import TelemetryTransport

/// A violation that a check found; becomes a ``TelemetryTransportConformance/Failure``.
struct ConformanceViolation: Error {
    let message: String
}

/// A connection to an empty store, and the expectations of a check.
struct Bench: Sendable {
    let store: TelemetryTransportConformance.Store
    let patience: Duration

    var transport: any TelemetryTransporting { store.transport }

    func secondConnection() async throws -> any TelemetryTransporting {
        guard let connectAgain = store.connectAgain else { throw ConformanceViolation(message: "There is only one connection.") }
        return try await connectAgain()
    }

    func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
        if !isSo { throw ConformanceViolation(message: what()) }
    }

    func expect<Value: Equatable>(_ what: String, _ actual: Value, is expected: Value) throws {
        if actual != expected { throw ConformanceViolation(message: "\(what): found \(actual), expected \(expected).") }
    }

    func require<Value>(_ value: Value?, _ what: @autoclosure () -> String) throws -> Value {
        guard let value else { throw ConformanceViolation(message: what()) }
        return value
    }

    /// Expects the transport's error with this code, and returns it.
    @discardableResult
    func expectError(
        _ code: TelemetryTransportError.Code, _ what: String, _ body: () async throws -> Void
    ) async throws -> TelemetryTransportError {
        do {
            try await body()
        } catch let error as TelemetryTransportError {
            try expect("\(what): the error's code", error.code, is: code)
            return error
        } catch {
            throw ConformanceViolation(message: "\(what): threw \(error), which is no TelemetryTransportError.")
        }
        throw ConformanceViolation(message: "\(what): nothing was thrown, expected \(code).")
    }

    /// Returns the body's result. Throws if it takes longer than the patience.
    func within<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask { [patience] in
                try await ContinuousClock().sleep(for: patience)
                throw ConformanceViolation(message: "\(what): nothing came within \(patience).")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw ConformanceViolation(message: "\(what): the stream ended.")
            }
            return value
        }
    }

    /// Every matching event, read in pages. Expects that the pages respect the limit and come to an end.
    func readAll(
        _ filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil, pageSize: Int = 100,
        on connection: (any TelemetryTransporting)? = nil
    ) async throws -> (events: [TelemetryEvent], cursor: TelemetryCursor) {
        var (events, next) = ([TelemetryEvent](), cursor)
        // More pages than events, so that a reader without progress fails instead of reading forever.
        for _ in 0..<10_000 {
            let page = try await (connection ?? transport).events(matching: filter, after: next, limit: pageSize)
            try expect(page.events.count <= pageSize, "A page of at most \(pageSize) has \(page.events.count) events.")
            events += page.events
            next = page.cursor
            if !page.hasMore { return (events, page.cursor) }
        }
        throw ConformanceViolation(message: "Every page has hasMore set.")
    }

    /// The identifiers of all matching events, in the store's order.
    func identifiers(
        _ filter: TelemetryEventFilter = .all, after cursor: TelemetryCursor? = nil, pageSize: Int = 100,
        on connection: (any TelemetryTransporting)? = nil
    ) async throws -> [String] {
        try await readAll(filter, after: cursor, pageSize: pageSize, on: connection).events.map(\.eventId)
    }
}

/// Creates the values that the checks store.
enum Sample {
    static func event(
        _ id: String, client: String? = "client", session: String = "session", name: String = "event", at second: Int = 0,
        scenario: String? = nil, level: TelemetryLogLevel = .info, property1: String? = nil,
        attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: id, clientId: client, sessionId: session, name: name,
            timestamp: TelemetryFixtures.date.addingTimeInterval(Double(second)), device: TelemetryFixtures.device,
            threadId: "1", property1: property1, attributes: attributes, scenario: scenario, level: level)
    }

    static func events(_ ids: ClosedRange<Int>, client: String? = "client", prefix: String = "e") -> [TelemetryEvent] {
        ids.map { event("\(prefix)\($0)", client: client) }
    }

    static func record(
        _ id: TelemetryRecord.ID, type: String = "Thing", _ fields: [String: TelemetryValue] = [:]
    ) -> TelemetryRecord {
        var record = TelemetryRecord(recordType: type, recordID: id)
        for (field, value) in fields { record[field] = value }
        return record
    }
}
