import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct EventBatchTests {
    /// Two events, the second of which cannot be read any more.
    private struct DamagedEvents: EncodedEvents {
        let origin = EventOrigin(clientId: "client", sessionId: "session", device: .current)
        let count = 2

        func forEach(_ body: (EventFields) throws -> Void) throws {}
        func decoded() -> [TelemetryEvent] { [TelemetryFixtures.event(1)] }
        func part(_ range: Range<Int>) -> any EncodedEvents { self }
    }

    @Test("A batch that can no longer be read whole is not stored by a transport that converts it")
    func damaged() async throws {
        let transport = InMemoryTelemetryTransport()
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await transport.append(TelemetryEventBatch(DamagedEvents()))
        }
        #expect(error?.code == .corrupted)
        #expect(try await transport.countEvents() == 0)
    }
}
