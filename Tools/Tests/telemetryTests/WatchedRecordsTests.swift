import Synchronization
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import telemetry

struct WatchedRecordsTests {
    @Test("A viewer that may not subscribe reads the records again after the store was away")
    func reader() async throws {
        let (transport, clock) = (MockTelemetryTransport(), ManualClock())
        let unauthorized = TelemetryTransportError(code: .unauthorized, message: "a reader")
        transport.fail(.saveSubscription, with: unauthorized, times: .max)
        transport.fail(.records, with: TelemetryTransportError(code: .unavailable, message: "away"), times: 1)
        try await transport.store.createTelemetryClient(TelemetryFixtures.client(isEnabled: true))
        let problems = Mutex<[String]>([])
        let (clients, continuation) = AsyncStream.makeStream(of: Int.self)
        let following = Task {
            try await WatchedRecords(transport: transport, clock: clock).follow { clients, _ in
                continuation.yield(clients.count)
            } problem: { problem in
                problems.withLock { $0.append(problem) }
            }
        }
        await clock.sleepers(atLeast: 1)
        #expect(problems.withLock { $0 } == ["away"])
        clock.advance(by: .seconds(5))
        for await count in clients {
            #expect(count == 1)
            break
        }
        following.cancel()
        await #expect(throws: CancellationError.self) { try await following.value }
    }

    @Test(
        "An enabled scenario is described with what the client's policy cut, or that it has no end",
        arguments: [(nil, ", until it is disabled."), ("lease cut to 3600 s", ": lease cut to 3600 s.")])
    func lease(result: String?, ending: String) {
        let command = TelemetryCommandRecord(
            clientId: "k7wq", action: .enableScenario, scenarioName: "A", status: .executed, result: result)
        #expect(WatchedCommand.text(ofExecuted: command, client: "k7wq") == "A is enabled on client k7wq" + ending)
    }
}
