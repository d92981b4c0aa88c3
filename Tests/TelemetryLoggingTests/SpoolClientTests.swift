import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

/// The clients whose events a logger takes over from a spool.
struct SpoolClientTests {
    let directory = TemporaryDirectory()

    /// An active logger with a spool directory, with or without a client.
    func started(_ clientId: String?, in directory: TemporaryDirectory) async -> Bench {
        let bench = Bench(.init(spoolDirectory: directory.url))
        if let clientId { await bench.logger.setClientIdentifier(clientId) }
        await bench.logger.activate(enabled: true)
        return bench
    }

    /// A copy of a killed process's directory with events of these clients, named by their numbers.
    func left(by clients: [String?]) async throws -> TemporaryDirectory {
        let bench = await started(clients.first ?? nil, in: directory)
        bench.transport.isOffline = true
        for (index, client) in clients.enumerated() {
            await bench.logger.setClientIdentifier(client)
            bench.logger.logEvent(name: "\(index + 1)")
        }
        return try directory.copy()
    }

    @Test("Another client's events are discarded, counted, and reported in the stream and to the diagnostics handler")
    func otherClient() async throws {
        let copy = try await left(by: ["X", "X", "X"])
        let bench = await started("Y", in: copy)
        // The diagnostics of the file, and of the event that reports the loss.
        #expect(bench.diagnostics.kinds == [.eventsDropped, .eventsDropped])
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["telemetry.dropped"])
        #expect(try await bench.stored.map(\.attributes) == [["otherClient": 3]])
        #expect(try await bench.stored.map(\.clientId) == ["Y"])
        #expect(bench.logger.statistics.dropped == [.otherClient: 3])
        #expect(bench.logger.statistics.recovered == 0)
        await bench.logger.shutdown()
        #expect(copy.names.isEmpty)
    }

    @Test("The same client's events are taken over after a restart, including those held before activation")
    func sameClient() async throws {
        let bench = Bench(.init(spoolDirectory: directory.url))
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "held")
        await bench.logger.setClientIdentifier("X")
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "logged")
        let next = await started("X", in: try directory.copy())
        await next.logger.flush()
        #expect(try await next.storedNames == ["held", "logged"])
        #expect(try await next.stored.map(\.clientId) == ["X", "X"])
    }

    @Test(
        "From a segment in which the identifier changed, only the current client's events are taken over",
        arguments: [("X", ["1", "2", "5"]), ("Y", ["3", "4"]), ("Z", [])], [false, true])
    func mixed(expected: (client: String, names: [String]), isRestartedTwice: Bool) async throws {
        var copy = try await left(by: ["X", "X", "Y", "Y", "X"])
        if isRestartedTwice {
            let offline = Bench(.init(spoolDirectory: copy.url))
            offline.transport.isOffline = true
            await offline.logger.setClientIdentifier(expected.client)
            await offline.logger.activate(enabled: true)
            copy = try copy.copy()
        }
        let bench = await started(expected.client, in: copy)
        await bench.logger.flush()
        let stored = try await bench.stored.filter { $0.name != TelemetryLogger.droppedEventName }
        #expect(stored.map(\.name) == expected.names)
        #expect(stored.map { "\($0.sequence)" } == expected.names)
        #expect(stored.allSatisfy { $0.clientId == expected.client })
        let others = UInt64(5 - expected.names.count)
        #expect(bench.logger.statistics.dropped == (isRestartedTwice ? [:] : [.otherClient: others]))
        await bench.logger.shutdown()
        #expect(copy.names.isEmpty)
    }

    @Test("Events with a client are taken over only once the client is set")
    func clientSetLater() async throws {
        let copy = try await left(by: ["X", "Y", "X"])
        let bench = await started(nil, in: copy)
        bench.logger.logEvent(name: "early")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["early"])
        await bench.logger.setClientIdentifier("X")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["early", "1", "3", "telemetry.dropped"])
        #expect(bench.logger.statistics.dropped == [.otherClient: 1])
        await bench.logger.shutdown()
        #expect(copy.names.isEmpty)
    }

    @Test("Events without a client are taken over by a logger without one, and discarded by one with a client")
    func noClient() async throws {
        let copy = try await left(by: [nil, nil])
        let second = try copy.copy()
        let without = await started(nil, in: copy)
        await without.logger.flush()
        #expect(try await without.storedNames == ["1", "2"])
        let with = await started("X", in: second)
        await with.logger.flush()
        #expect(try await with.storedNames == ["telemetry.dropped"])
        #expect(with.logger.statistics.dropped == [.otherClient: 2])
    }

    @Test("A logger that is activated again for another client discards its former client's events")
    func sameLogger() async throws {
        let bench = await started("X", in: directory)
        bench.transport.isOffline = true
        bench.logger.logEvent(name: "X's")
        await bench.logger.shutdown()
        await bench.logger.setClientIdentifier("Y")
        bench.transport.isOffline = false
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "Y's")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["telemetry.dropped", "Y's"])
        #expect(bench.logger.statistics.dropped == [.otherClient: 1])
    }
}
