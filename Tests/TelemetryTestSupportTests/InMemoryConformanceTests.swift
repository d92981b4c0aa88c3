import TelemetryTestSupport
import TelemetryTransport
import Testing

struct InMemoryConformanceTests {
    @Test("The transport in memory passes every check", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            let transport = InMemoryTelemetryTransport()
            // Every reference to the transport is a connection to its store.
            return .init(transport: transport, connectAgain: { transport })
        }
        #expect(try await suite.run(check) == .passed)
    }

    @Test("The mock transport passes every check by default", arguments: TelemetryTransportConformance.checks)
    func mockConforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance { .init(transport: MockTelemetryTransport()) }
        #expect(try await suite.run(check) == (check.needsSecondConnection ? .skipped : .passed))
    }
}
