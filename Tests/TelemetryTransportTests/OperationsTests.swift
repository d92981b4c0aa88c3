import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// What the operations add to the primitives, which the conformance suite checks.
struct OperationsTests {
    private let mock = MockTelemetryTransport()
    private let conflict = TelemetryTransportError(code: .conflict, message: "conflict")

    @Test("An update of a value without a record identifier throws, without a call")
    func missingRecordID() async {
        await #expect(throws: TelemetryRecordError.missingRecordID) {
            try await mock.updateTelemetryClient(TelemetryClientRecord(clientId: "c", isEnabled: true))
        }
        await #expect(throws: TelemetryRecordError.missingRecordID) {
            try await mock.updateScenario(TelemetryFixtures.scenario())
        }
        #expect(mock.calls.isEmpty)
    }

    @Test("A record with the type of events is refused, and nothing is saved")
    func savedEvent() async throws {
        try await withTemporaryDirectory { directory in
            let transports: [any TelemetryTransporting] = [
                InMemoryTelemetryTransport(), try FileTelemetryTransport(directory: directory),
            ]
            for transport in transports {
                let records = [
                    TelemetryRecord(recordType: "T", recordID: "1"), TelemetryRecord(recordType: "TelemetryEvent", recordID: "2"),
                ]
                let error = await #expect(throws: TelemetryTransportError.self) {
                    _ = try await transport.save(records, policy: .insert)
                }
                #expect(error?.code == .invalidArgument)
                #expect(try await transport.record(withID: "1") == nil)
            }
        }
    }

    @Test("An update that conflicts with another writer's reads again and retries")
    func crossedUpdates() async throws {
        let client = try await mock.createTelemetryClient(TelemetryFixtures.client())
        mock.fail(.saveRecords, with: conflict, times: 20)
        let id = try #require(client.recordID)
        #expect(try await mock.updateTelemetryClient(recordID: id, isEnabled: true).isEnabled)
        #expect(mock.calls(of: .record).count == 21)
    }

    @Test("An update that is cancelled stops retrying")
    func cancelledUpdate() async throws {
        let id = try #require(try await mock.createTelemetryClient(TelemetryFixtures.client()).recordID)
        mock.fail(.saveRecords, with: conflict, times: .max)
        mock.hold(.saveRecords)
        let update = Task { try await mock.updateTelemetryClient(recordID: id, isEnabled: true) }
        await mock.held(.saveRecords)
        update.cancel()
        mock.release(.saveRecords)
        await #expect(throws: CancellationError.self) { try await update.value }
    }

    @Test("An update throws other errors at once")
    func otherErrors() async throws {
        let id = try #require(try await mock.createTelemetryClient(TelemetryFixtures.client()).recordID)
        mock.fail(.saveRecords)
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await mock.updateTelemetryClient(recordID: id, isEnabled: true)
        }
        #expect(error?.code == .unavailable)
        #expect(mock.calls(of: .record).count == 1)
    }

    @Test("A hundred concurrent updates of one client are all applied")
    func manyUpdates() async throws {
        let transport = InMemoryTelemetryTransport()
        let id = try #require(try await transport.createTelemetryClient(TelemetryFixtures.client()).recordID)
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    if index % 2 == 0 {
                        try await transport.updateTelemetryClient(recordID: id, isEnabled: true)
                    } else {
                        try await transport.updateTelemetryClient(recordID: id, created: .distantPast)
                    }
                }
            }
            try await group.waitForAll()
        }
        let client = try await transport.fetchTelemetryClients().first
        #expect(client?.isEnabled == true)
        #expect(client?.created == .distantPast)
    }

    @Test("Lists leave out records that cannot be read; fetching one by identity throws the reason")
    func unreadable() async throws {
        for type in ["TelemetryClient", "TelemetryScenario", "TelemetryCommand"] {
            var record = TelemetryRecord(recordType: type, recordID: .init(recordName: type))
            record["clientid"] = "c"
            record["status"] = "pending"
            record["action"] = "fromTheFuture"
            _ = try await mock.save([record], policy: .insert)
        }
        #expect(try await mock.fetchTelemetryClients(clientId: "c").isEmpty)
        #expect(try await mock.fetchScenarios(forClient: "c").isEmpty)
        #expect(try await mock.fetchPendingCommands(for: "c").isEmpty)
        await #expect(throws: TelemetryRecordError.invalidAction("fromTheFuture")) {
            _ = try await mock.fetchCommand(recordID: "TelemetryCommand")
        }
    }

    @Test("A status update keeps the fields that it does not set")
    func commandStatus() async throws {
        let id = try #require(try await mock.createCommand(TelemetryFixtures.command(.disable)).recordID)
        try await mock.updateCommandStatus(
            recordID: id, status: .failed, executedAt: TelemetryFixtures.date, errorMessage: "why")
        let command = try await mock.updateCommandStatus(recordID: id, status: .executed)
        #expect(command.status == .executed)
        #expect(command.executedAt == TelemetryFixtures.date)
        #expect(command.errorMessage == "why")
    }

    @Test(
        "An operation for an invalid client identifier throws", arguments: ["", String(repeating: "x", count: 1_025)])
    func impossibleIdentifier(clientId: String) async {
        let operations: [() async throws -> Void] = [
            { _ = try await mock.fetchTelemetryClients(clientId: clientId) },
            { _ = try await mock.fetchScenarios(forClient: clientId) },
            { _ = try await mock.fetchPendingCommands(for: clientId) },
            { _ = try await mock.fetchCommandSubscription(for: clientId) },
            { try await mock.updateTelemetryClient(recordID: "r", clientId: clientId) },
            {
                try await mock.updateScenario(
                    TelemetryScenarioRecord(recordID: "r", clientId: clientId, scenarioName: "s", isEnabled: true))
            },
        ]
        for operation in operations {
            let error = await #expect(throws: TelemetryTransportError.self) { try await operation() }
            #expect(error?.code == .invalidArgument)
        }
        #expect(mock.calls.isEmpty)
    }

    @Test("Creating no scenarios makes no call; deleting a client's scenarios deletes none if it has none")
    func nothingToDo() async throws {
        #expect(try await mock.createScenarios([]).isEmpty)
        #expect(mock.calls.isEmpty)
        #expect(try await mock.deleteScenarios(forClient: "c") == 0)
        #expect(mock.calls.map(\.operation) == [.records])
    }

    @Test("The debug text names the store, its contents and its error")
    func debugText() async throws {
        try await mock.createTelemetryClient(TelemetryFixtures.client())
        try await mock.append([TelemetryFixtures.event()])
        let text = await mock.debugDatabaseInfo()
        for part in ["memory", "events: 1", "records found: 1", "clientid, created, isEnabled"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect(await mock.detectEnvironment() == mock.getDebugInfo().environment)
        mock.isOffline = true
        #expect(await mock.debugDatabaseInfo().contains("error: "))
    }

    @Test("A record that moves to another client notifies both clients' subscribers")
    func changesHands() async throws {
        for client in ["a", "b"] { try await mock.createCommandSubscription(for: client) }
        let command = try await mock.createCommand(TelemetryFixtures.command(.enable, clientId: "a"))
        let id = try #require(command.recordID)
        var heard = mock.notifications().makeAsyncIterator()
        var record = try #require(try await mock.record(withID: id))
        record["clientid"] = "b"
        _ = try await mock.save([record], policy: .ifUnchanged)
        let subscriptions = [await heard.next()?.subscriptionID, await heard.next()?.subscriptionID]
        #expect(Set(subscriptions) == ["TelemetryCommand-a", "TelemetryCommand-b"])
    }
}
