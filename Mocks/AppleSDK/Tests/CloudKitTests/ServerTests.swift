import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Foundation
import TelemetryCloudKit
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The fake server's limits and faults, and the transport's handling of them.
struct ServerTests {
    private func events(_ numbers: ClosedRange<Int>, client: String? = "c", text: String = "") -> [TelemetryEvent] {
        numbers.map { number in
            TelemetryEvent(
                eventId: "e\(number)", clientId: client, sessionId: "s", sequence: UInt64(number), name: "n",
                timestamp: TelemetryFixtures.date, device: TelemetryFixtures.device, threadId: "1",
                property1: text.isEmpty ? nil : text)
        }
    }

    @Test("A thousand events are sent in operations of at most 400, and keep their order")
    func batches() async throws {
        let world = try World.deployed()
        let viewer = world.transport(user: "viewer")
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        try await world.transport().append(events(1...1_000))
        #expect(world.server.operationSizes == [400, 400, 200])
        #expect(try await viewer.fetchAllEvents().map(\.sequence) == Array(1...1_000))
    }

    @Test("An operation that the server refuses as too large is halved until it is accepted")
    func halving() async throws {
        let world = try World.deployed { $0.maximumItems = 60 }
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "user")
        let transport = world.transport()
        try await transport.append(events(1...100))
        #expect(world.server.operationSizes == [100, 50, 50])
        #expect(try await transport.deleteAllEvents() == 100)
        #expect(world.server.records().isEmpty)
    }

    @Test("A fetch that the server refuses as too large is halved")
    func fetchingInHalves() async throws {
        let world = try World.deployed { $0.maximumItems = 60 }
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        let viewer = world.transport(user: "viewer")
        for number in 1...100 {
            try await viewer.createCommand(TelemetryFixtures.command(.enable, commandId: "\(number)", clientId: "c"))
        }
        // Each command may have a receipt, which is fetched by its name.
        #expect(try await world.transport(user: "client").fetchPendingCommands(for: "c").count == 100)
    }

    @Test(
        "An event is not saved as a record: nothing is sent, not even the other records",
        arguments: [TelemetrySavePolicy.insert, .ifUnchanged, .overwrite])
    func savedEvent(policy: TelemetrySavePolicy) async throws {
        let world = try World.deployed()
        let event = try #require(events(1...1).first).toRecord()
        let client = TelemetryFixtures.client(isEnabled: false).toRecord()
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await world.transport().save([client, event], policy: policy)
        }
        #expect(error?.code == .invalidArgument)
        #expect(world.server.operationSizes.isEmpty)
        #expect(world.server.records().isEmpty)
    }

    @Test("If an operation fails as a whole because of one item, the other items count as stored")
    func operationFailsPartially() async throws {
        let world = World { $0.failsPartially = true }
        let transport = world.transport()
        let records = ["a", "b", "c"].map { TelemetryRecord(recordType: "Thing", recordID: .init(recordName: $0)) }
        world.server.failNextSaves(of: "b", [ServerFault(code: FaultCode.zoneBusy, message: "busy", retryAfter: 2)])
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await transport.save(records, policy: .insert)
        }
        #expect(error?.code == .partialFailure)
        #expect(error?.failures.mapValues(\.code) == ["b": .rateLimited])
        #expect(error?.failures["b"]?.retryAfter == .seconds(2))
        #expect(Set(world.server.records().keys) == ["a", "c"])
        let saved = try await transport.save([records[1]], policy: .insert)
        #expect(saved.first?.changeTag != nil)
        world.server.failNextSaves(of: CloudKitName.eventName(for: "e2"), [ServerFault(code: FaultCode.zoneBusy, message: "")])
        await #expect(throws: TelemetryTransportError.self) { try await transport.append(events(1...3)) }
        try await transport.append(events(1...3))
        #expect(try await transport.fetchAllEvents().count == 3)
    }

    @Test("Events of one append keep their order, even if the server gives each another time")
    func order() async throws {
        let world = try World.deployed { $0.creationSpread = 0.05 }
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        let (client, viewer) = (world.transport(), world.transport(user: "viewer"))
        try await client.append(events(1...30))
        try await client.append(events(31...60))
        let times = world.server.records().values.compactMap(\.created)
        #expect(Set(times).count > 20)
        #expect(try await viewer.fetchAllEvents().map(\.sequence) == Array(1...60))
    }

    @Test("An event's time is read back exactly, and found by it, although CloudKit's dates are whole milliseconds")
    func exactTime() async throws {
        let world = try World.deployed()
        let transport = world.transport()
        let times = [0.0001, 0.0004, 0.0009].map { TelemetryFixtures.date.addingTimeInterval($0) }
        for (index, time) in times.enumerated() {
            try await transport.append([
                TelemetryEvent(eventId: "\(index)", clientId: "c", sessionId: "s", name: "n", timestamp: time)
            ])
        }
        #expect(try await transport.fetchAllEvents().map(\.timestamp) == times)
        let filter = TelemetryEventFilter(since: times[1], until: times[2])
        #expect(try await transport.events(matching: filter, after: nil, limit: 10).events.map(\.eventId) == ["1"])
        #expect(try await transport.countEvents(matching: filter) == 1)
        #expect(try await transport.deleteEvents(matching: filter) == 1)
        #expect(try await transport.fetchAllEvents().map(\.eventId) == ["0", "2"])
    }

    @Test("Debug information names the container, counts readable records, and has the error")
    func debugInfo() async throws {
        let world = try World.deployed()
        let transport = world.transport()
        try await transport.createTelemetryClient(clientId: "c", isEnabled: false)
        try await transport.append(events(1...3))
        let info = await transport.getDebugInfo()
        #expect(info.containerID == "iCloud.test")
        #expect(info.testQueryResults == 1)
        #expect(info.firstRecordFields == ["clientid", "created", "isEnabled"])
        #expect(info.recordCount == 3)
        #expect(info.errorMessage == nil)
        #expect(await transport.detectEnvironment().contains("CloudKit"))
        world.server.failNextOperations([ServerFault(code: FaultCode.networkUnavailable, message: "no network")])
        #expect(await transport.getDebugInfo().errorMessage?.contains("no network") == true)
    }

    @Test("Large events are sent in operations of at most 2 MB")
    func bytes() async throws {
        let world = try World.deployed()
        try await world.transport().append(events(1...8, text: String(repeating: "x", count: 400_000)))
        #expect(world.server.operationSizes == [3, 3, 2])
    }

    @Test("An event above the record limit is refused, and nothing is sent")
    func tooLarge() async throws {
        let world = try World.deployed()
        await #expect(throws: TelemetryTransportError.self) {
            try await world.transport().append(events(1...1, text: String(repeating: "x", count: 1_100_000)))
        }
        #expect(world.server.operationSizes.isEmpty)
    }

    @Test(
        "An item that failed only because of another item is retried alone",
        arguments: [FaultCode.batchRequestFailed, FaultCode.limitExceeded])
    func partialFailure(code: Int) async throws {
        let world = try World.deployed()
        world.server.failNextSaves(of: CloudKitName.eventName(for: "e2"), [ServerFault(code: code, message: "once")])
        try await world.transport().append(events(1...3))
        #expect(world.server.operationSizes == [3, 1])
        #expect(world.server.records().count == 3)
    }

    @Test("A permanently failing item is in the error, and repeating the append stores each event once")
    func repeating() async throws {
        let world = try World.deployed()
        let fault = ServerFault(code: FaultCode.zoneBusy, message: "busy", retryAfter: 3)
        world.server.failNextSaves(of: CloudKitName.eventName(for: "e2"), [fault])
        let transport = world.transport()
        let error = await #expect(throws: TelemetryTransportError.self) { try await transport.append(events(1...3)) }
        #expect(error?.code == .rateLimited)
        #expect(error?.isRetryable == true)
        #expect(error?.retryAfter == .seconds(3))
        #expect(world.server.records().count == 2)
        try await transport.append(events(1...3))
        #expect(world.server.records().count == 3)
    }

    @Test("Throttling is an error with the time to wait")
    func throttling() async throws {
        let world = try World.deployed()
        world.server.failNextOperations([
            ServerFault(code: FaultCode.requestRateLimited, message: "slow down", retryAfter: 1.5)
        ])
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await world.transport().fetchTelemetryClients()
        }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .milliseconds(1_500))
    }

    @Test("From a cursor, a reader gets events that the index shows late, each once")
    func lateIndex() async throws {
        let world = try World.deployed { $0.indexDelay = 5 }
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        let (client, viewer) = (world.transport(), world.transport(user: "viewer"))
        try await client.append(events(1...2))
        // These reach the index before the ones that were received earlier.
        world.server.configure { $0.indexDelay = 0 }
        try await client.append(events(3...4))
        let first = try await viewer.events(matching: .all, after: nil, limit: 10)
        #expect(first.events.map(\.sequence) == [3, 4])
        world.server.advance(by: 10)
        let second = try await viewer.events(matching: .all, after: first.cursor, limit: 10)
        #expect(second.events.map(\.sequence) == [1, 2])
        let third = try await viewer.events(matching: .all, after: second.cursor, limit: 10)
        #expect(third.events.isEmpty)
    }

    @Test("A signed-out user cannot write, and gets an error")
    func signedOut() async throws {
        let world = try World.deployed()
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await world.transport(user: nil).append(events(1...1))
        }
        #expect(error?.code == .unauthorized)
    }

    @Test("A container without the schema is invalid; one with it is valid")
    func schema() async throws {
        let empty = try ServerSchema("DEFINE SCHEMA\n")
        let bare = World {
            $0.schema = empty
            $0.isDevelopment = false
        }
        #expect(await bare.transport().validateSchema() == false)
        #expect(try await bare.transport().fetchTelemetryClients().isEmpty)
        let deployed = try World.deployed()
        #expect(await deployed.transport().validateSchema())
    }

    @Test("A record that others constantly overwrite is not overwritten unconditionally")
    func overwriteRace() async throws {
        let world = World()
        let conflict = ServerFault(code: FaultCode.serverRecordChanged, message: "changed")
        world.server.failNextSaves(of: "r", Array(repeating: conflict, count: 3))
        let record = TelemetryRecord(recordType: "Thing", recordID: "r")
        _ = try await world.transport().save([record], policy: .overwrite)
        #expect(world.server.operationSizes == [1, 1, 1, 1])
        world.server.failNextSaves(of: "r", Array(repeating: conflict, count: 100))
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await world.transport().save([record], policy: .overwrite)
        }
        #expect(error?.code == .unavailable)
    }
}
