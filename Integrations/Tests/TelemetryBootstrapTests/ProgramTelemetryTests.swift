import Foundation
import InMemoryLogging
import Logging
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryBootstrap

@MainActor
struct ProgramTelemetryTests {
    private nonisolated static let label = "shop.checkout"
    private let transport = MockTelemetryTransport()
    private let clock = ManualClock()
    private let console = InMemoryLogHandler()
    private let settings = InMemoryTelemetrySettingsStore()
    private let scenarios = InMemoryTelemetryScenarioStore()

    private func program() -> ProgramTelemetry {
        ProgramTelemetry(
            settingsStore: settings, transport: transport,
            configuration: .init(
                loggerConfiguration: .init(spoolDirectory: nil, shutdownDeadline: 1), operationTimeout: .seconds(2),
                reconcileInterval: nil, clock: clock),
            scenarioStore: scenarios
        ) { [console] _ in console }
    }

    /// Makes an approved client, whose scenario is on.
    private func approve() async throws {
        await settings.save(TelemetryFixtures.approvedSettings)
        await scenarios.saveState(for: Self.label, isEnabled: true)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
    }

    private func storedMessages() async throws -> [String?] { try await transport.store.fetchAllEvents().map(\.property1) }

    private func consoleMessages() -> [String] { console.entries.map { "\($0.message)" } }

    @Test("Messages of a scenario that is on are delivered when the operation returns, and every message is at the console")
    func delivery() async throws {
        try await approve()
        let program = program()
        let result = await program.run([Self.label]) {
            Logger(label: Self.label, factory: program.handler).info("cart opened")
            Logger(label: "other", factory: program.handler).info("not a scenario")
            return 7
        }
        #expect(result == 7)
        #expect(try await storedMessages() == ["cart opened"])
        #expect(Set(consoleMessages()).isSuperset(of: ["cart opened", "not a scenario", "Telemetry is requested."]))
    }

    @Test("What was logged before an error is delivered, and the error is thrown")
    func failure() async throws {
        try await approve()
        let program = program()
        await #expect(throws: Failure()) {
            try await program.run([Self.label]) { () throws(Failure) in
                Logger(label: Self.label, factory: program.handler).error("no stock")
                throw Failure()
            }
        }
        #expect(try await storedMessages() == ["no stock"])
    }

    @Test("The first run requests telemetry and registers the labels; nothing is recorded until a viewer approves it")
    func request() async throws {
        let program = program()
        await program.run([Self.label, "shop.stock"]) {
            Logger(label: Self.label, factory: program.handler).info("cart opened")
        }
        let client = try #require(try await transport.store.fetchTelemetryClients().first)
        #expect(!client.isEnabled)
        #expect(await settings.load().telemetryRequested)
        #expect(
            try await transport.store.fetchScenarios(forClient: client.clientId).map(\.scenarioName).sorted() == [
                Self.label, "shop.stock",
            ])
        #expect(try await storedMessages() == [])
        let message = try #require(console.entries.first { "\($0.message)" == "Telemetry is requested." })
        #expect(message.metadata["client"] == "\(client.clientId)")
    }

    @Test("A later run is the same client")
    func laterRun() async throws {
        for _ in 1...2 { await program().run([Self.label]) {} }
        #expect(try await transport.store.fetchTelemetryClients().count == 1)
    }

    @Test(
        "If the store hangs, the operation starts after a second with the states that were kept, and the run ends",
        .timeLimit(.minutes(10)))
    func hangingStore() async throws {
        try await approve()
        for operation in MockTelemetryTransport.Operation.allCases { transport.hold(operation) }
        let program = program()
        let (started, continuation) = AsyncStream.makeStream(of: Logger.Level.self)
        let run = Task {
            await program.run([Self.label]) {
                _ = continuation.yield(Logger(label: Self.label, factory: program.handler).logLevel)
            }
        }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(1))
        var levels = started.makeAsyncIterator()
        let level = await levels.next()
        #expect(level == .trace)
        let time = Task { [clock] in
            while !Task.isCancelled {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(2))
                await Task.yield()
            }
        }
        await run.value
        time.cancel()
        for operation in MockTelemetryTransport.Operation.allCases { transport.release(operation) }
    }

    @Test("A label that cannot be a scenario is reported at the console, and the operation runs")
    func invalidLabel() async throws {
        let program = program()
        #expect(await program.run([""]) { true })
        #expect(consoleMessages().contains("The scenarios could not be registered."))
    }

    @Test("Diagnostics are written to the console")
    func diagnostics() async throws {
        transport.isOffline = true
        await program().run([Self.label]) {}
        #expect(console.entries.contains { $0.level == .warning && $0.metadata["kind"] == "transportFailed" })
    }

    @Test("A program whose store's directory cannot be used runs without telemetry, and the console says so")
    func unusableDirectory() async throws {
        // The only call of the public function in this process, because it bootstraps the logging system.
        let result = await withTelemetry(
            in: URL(fileURLWithPath: "/dev/null/store"), scenarios: [Self.label], console: { [console] _ in console },
            operation: { "ran" })
        #expect(result == "ran")
        #expect(consoleMessages() == ["This run has no telemetry; its store cannot be used."])
    }

    private struct Failure: Error, Equatable {}
}
