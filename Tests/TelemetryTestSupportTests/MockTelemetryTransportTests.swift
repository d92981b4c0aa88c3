import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct MockTelemetryTransportTests {
    private let mock = MockTelemetryTransport()
    private let event = TelemetryFixtures.event()

    @Test("Each primitive is recorded with its arguments, even if an operation calls it")
    func records() async throws {
        try await mock.append([event])
        try await mock.createTelemetryClient(clientId: "c", isEnabled: false)
        _ = try await mock.fetchPendingCommands(for: "c")
        #expect(mock.calls.map(\.operation) == [.append, .saveRecords, .records])
        guard case .append(let events) = mock.calls[0] else {
            Issue.record("no .append")
            return
        }
        #expect(events == [event])
        #expect(mock.calls(of: .records).count == 1)
        mock.forgetCalls()
        #expect(mock.calls.isEmpty)
        #expect(try await mock.store.countEvents() == 1)
    }

    @Test("A test can wait for a call by another task")
    func waits() async throws {
        let caller = Task { try await mock.append([event]) }
        await mock.called(.append)
        try await caller.value
        await mock.called { $0.count == 1 }
    }

    @Test("Scripted failures apply to their operation, in order, as many times as scripted")
    func fails() async throws {
        let conflict = TelemetryTransportError(code: .conflict, message: "")
        mock.fail(.append, times: 2)
        mock.fail(.append, with: conflict)
        for code in [TelemetryTransportError.Code.unavailable, .unavailable, .conflict] {
            let error = await #expect(throws: TelemetryTransportError.self) { try await mock.append([event]) }
            #expect(error?.code == code)
        }
        #expect(try await mock.countEvents() == 0)
        try await mock.append([event])
        #expect(try await mock.countEvents() == 1)
        #expect(mock.calls(of: .append).count == 4)
    }

    @Test("A failure after the effect keeps the effect")
    func failsAfterEffect() async throws {
        mock.fail(.append, .afterEffect)
        await #expect(throws: TelemetryTransportError.self) { try await mock.append([event]) }
        #expect(try await mock.store.countEvents() == 1)
        mock.fail(.append, times: .max)
        mock.stopFailing(.append)
        try await mock.append([event])
        #expect(try await mock.store.countEvents() == 1)
    }

    @Test("Every call fails while offline, and succeeds online again", arguments: MockTelemetryTransport.Operation.allCases)
    func offline(_ operation: MockTelemetryTransport.Operation) async throws {
        mock.isOffline = true
        #expect(await !succeeds(operation))
        mock.isOffline = false
        #expect(await succeeds(operation))
        #expect(mock.calls.map(\.operation) == [operation, operation])
    }

    @Test("Held calls wait until they are released; a cancelled one returns, and the others keep waiting")
    func holds() async throws {
        mock.hold(.append)
        let (first, second) = (Task { try await mock.append([event]) }, Task { try await mock.append([]) })
        await mock.held(.append, atLeast: 2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try await mock.countEvents() == 0)
        mock.release(.append)
        try await first.value
        #expect(try await mock.countEvents() == 1)
        try await mock.append([])
    }

    @Test("Latency is measured on the test's clock")
    func latency() async throws {
        let clock = ManualClock()
        let slow = MockTelemetryTransport(latency: .seconds(2), clock: clock)
        let call = Task { try await slow.append([event]) }
        await clock.sleepers(atLeast: 1)
        #expect(clock.timeToNextWake == .seconds(2))
        #expect(try await slow.store.countEvents() == 0)
        clock.advance(by: .seconds(2))
        try await call.value
        #expect(try await slow.store.countEvents() == 1)
    }

    @Test("Notifications that a test sends reach every consumer")
    func notifies() async {
        var heard = mock.notifications().makeAsyncIterator()
        let notification = TelemetryNotification(subscriptionID: "s", recordType: "t", recordID: "r")
        mock.send(notification)
        #expect(await heard.next() == notification)
    }

    private func succeeds(_ operation: MockTelemetryTransport.Operation) async -> Bool {
        do {
            switch operation {
            case .append: try await mock.append([event])
            case .events: _ = try await mock.fetchAllEvents()
            case .countEvents: _ = try await mock.countEvents()
            case .deleteEvents: try await mock.deleteAllEvents()
            case .saveRecords: _ = try await mock.save([TelemetryRecord(recordType: "t")], policy: .insert)
            case .record: _ = try await mock.record(withID: "r")
            case .records: _ = try await mock.records(matching: .init(recordType: "t"))
            case .deleteRecords: try await mock.deleteRecords(withIDs: ["r"])
            case .saveSubscription: try await mock.createScenarioSubscription()
            case .subscription: _ = try await mock.fetchSubscription(id: "s")
            case .deleteSubscription: try await mock.removeSubscription("s")
            case .validateSchema: return await mock.validateSchema()
            case .debugInfo: return await mock.debugInfo().errorMessage == nil
            }
            return true
        } catch {
            return false
        }
    }
}
