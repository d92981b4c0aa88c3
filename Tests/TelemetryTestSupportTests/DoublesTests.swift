import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct DoublesTests {
    @Test("The mock logger records logged events, by either call, and calls")
    func logger() async {
        let logger = MockTelemetryLogger(sessionId: "s")
        let telemetry: any TelemetryLogging = logger
        #expect(telemetry.currentSessionId == "s")
        telemetry.logEvent(name: "bare", property1: "p")
        telemetry.logEvent(name: "full", scenario: "Net", level: .diagnostic, property1: "p", attributes: ["n": 1])
        await logger.logged(atLeast: 2)
        #expect(
            logger.events == [
                .init(name: "bare", scenario: nil, level: .info, property1: "p", attributes: [:]),
                .init(name: "full", scenario: "Net", level: .diagnostic, property1: "p", attributes: ["n": 1]),
            ])
        await telemetry.setClientIdentifier("c")
        await telemetry.updateScenarioStates(["Net": true])
        await telemetry.activate(enabled: true)
        await telemetry.setEnabled(false)
        await telemetry.flush()
        await telemetry.shutdown()
        await logger.called(.shutdown)
        #expect(
            logger.calls == [
                .setClientIdentifier("c"), .updateScenarioStates(["Net": true]), .activate(enabled: true), .setEnabled(false),
                .flush, .shutdown,
            ])
        #expect(await logger.clientIdentifier == "c")
        #expect(await logger.scenarioStates == ["Net": true])
        #expect(await logger.isEnabled == false)
    }

    @Test("The mock subscription manager registers, unregisters and fails as set up")
    func subscriptionManager() async throws {
        let manager = MockSubscriptionManager()
        #expect(await manager.currentSubscriptionID == nil)
        try await manager.registerSubscription(for: "c")
        #expect(await manager.currentSubscriptionID == "TelemetryCommand-c")
        await manager.failUnregistration(with: MockTelemetryTransport.unavailable)
        await #expect(throws: TelemetryTransportError.self) { try await manager.unregisterSubscription() }
        #expect(await manager.currentSubscriptionID == "TelemetryCommand-c")
        await manager.failUnregistration(with: nil)
        try await manager.unregisterSubscription()
        #expect(await manager.currentSubscriptionID == nil)
        await manager.failRegistration(with: MockTelemetryTransport.unavailable)
        await #expect(throws: TelemetryTransportError.self) { try await manager.registerSubscription(for: "d") }
        await manager.called(.register(clientId: "d"))
        #expect(manager.calls == [.register(clientId: "c"), .unregister, .unregister, .register(clientId: "d")])
    }

    @Test("The fixed generator returns its identifiers in order, then repeats the last one")
    func identifiers() {
        let generator = FixedIdentifierGenerator(identifiers: ["a", "b"])
        #expect((0..<4).map { _ in generator.generateIdentifier() } == ["a", "b", "b", "b"])
        #expect(generator.count == 4)
        #expect(FixedIdentifierGenerator("x").generateIdentifier() == "x")
        #expect(!FixedIdentifierGenerator(identifiers: []).generateIdentifier().isEmpty)
    }

    @Test("A gate blocks callers while it is closed, and resumes them when it opens")
    func gate() async throws {
        let gate = TestGate()
        try await gate.pass()
        gate.close()
        let (passed, continuation) = AsyncStream.makeStream(of: Int.self)
        var waiting: [Task<Void, any Error>] = []
        for index in 0..<3 {
            waiting.append(
                Task {
                    try await gate.pass()
                    continuation.yield(index)
                })
            await gate.waiters(atLeast: index + 1)
        }
        waiting[1].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[1].value }
        gate.open()
        try await waiting[0].value
        try await waiting[2].value
        continuation.finish()
        var indices: Set<Int> = []
        for await index in passed { indices.insert(index) }
        #expect(indices == [0, 2])
    }
}
