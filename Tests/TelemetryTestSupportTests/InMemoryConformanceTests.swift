import TelemetryTestSupport
import TelemetryTransport
import Testing

struct InMemoryConformanceTests {
    @Test("The transport in memory keeps every promise", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            let transport = InMemoryTelemetryTransport()
            // Whoever has a reference to it has a connection.
            return .init(transport: transport, connectAgain: { transport })
        }
        #expect(try await suite.run(check) == .passed)
    }

    @Test("The mock transport, told nothing, keeps every promise", arguments: TelemetryTransportConformance.checks)
    func mockConforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance { .init(transport: MockTelemetryTransport()) }
        #expect(try await suite.run(check) == (check.needsSecondConnection ? .skipped : .passed))
    }
}
