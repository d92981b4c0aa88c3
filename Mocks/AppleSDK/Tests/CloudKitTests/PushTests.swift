import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Synchronization
import TelemetryCloudKit
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Pushes, as the fake server sends them, and what the transport makes of them.
struct PushTests {
    private let world: World
    private let viewer: CloudKitTransport
    private let client: CloudKitTransport

    init() throws {
        world = try World.deployed()
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        viewer = world.transport(user: "viewer", device: "a")
        client = world.transport(user: "client", device: "b", hears: false)
    }

    /// Everything that the client's device is sent, as payloads of pushes.
    private func pushes(during body: () async throws -> Void) async throws -> [ServerPush] {
        let received = Mutex<[ServerPush]>([])
        let end = world.server.register(.init(user: "client", device: "b")) { push in
            received.withLock { $0.append(push) }
        }
        try await body()
        end()
        return received.withLock { $0 }
    }

    private func command(_ id: String, for clientId: String = "c") async throws {
        try await viewer.createCommand(TelemetryFixtures.command(.enable, commandId: id, clientId: clientId))
    }

    @Test("A command reaches its client as a silent push that says which subscription and record it is about")
    func command() async throws {
        try await client.createCommandSubscription(for: "c")
        let pushes = try await pushes {
            try await command("1", for: "other")
            try await command("2")
        }
        #expect(pushes.map(\.isSilent) == [true])
        let push = try #require(pushes.first)
        let notification = try #require(TelemetryNotification(userInfo: StandInSession.userInfo(of: push)))
        #expect(notification.subscriptionID == "TelemetryCommand-c")
        #expect(notification.recordType == "TelemetryCommand")
        let record = try #require(notification.recordID)
        #expect(try await client.fetchCommand(recordID: record)?.commandId == "2")
    }

    @Test("A payload that is none of CloudKit's is nobody's notification")
    func foreign() {
        for userInfo: [AnyHashable: Any] in [[:], ["aps": ["alert": "hello"]], ["ck": 1]] {
            #expect(TelemetryNotification(userInfo: userInfo) == nil)
            #expect(client.handleRemoteNotification(userInfo) == nil)
        }
    }

    @Test("Of several pushes only the last may arrive; querying again finds everything")
    func coalesced() async throws {
        world.server.configure { $0.pushes = .coalesced }
        try await client.createCommandSubscription(for: "c")
        let pushes = try await pushes {
            for number in 1...5 { try await command("\(number)") }
            world.server.releasePushes()
        }
        #expect(pushes.count == 1)
        #expect(try await client.fetchPendingCommands(for: "c").count == 5)
    }

    @Test("No push may arrive at all; querying finds the command all the same")
    func dropped() async throws {
        world.server.configure { $0.pushes = .dropped }
        try await client.createCommandSubscription(for: "c")
        let pushes = try await pushes { try await command("1") }
        #expect(pushes.isEmpty)
        #expect(try await client.fetchPendingCommands(for: "c").count == 1)
    }

    @Test("The device that made a change gets no push; its own listeners are told by the transport")
    func ownChanges() async throws {
        _ = try await client.save(
            TelemetrySubscription(id: "TelemetryClient-c", recordType: "TelemetryClient", clientId: "c"))
        let notifications = client.notifications()
        let pushes = try await pushes {
            try await client.createTelemetryClient(clientId: "c", isEnabled: false)
        }
        #expect(pushes.isEmpty)
        var iterator = notifications.makeAsyncIterator()
        #expect(await iterator.next()?.subscriptionID == "TelemetryClient-c")
    }

    @Test("A push about events has whoever follows them look at once")
    func arrivals() async throws {
        let patient = world.transport(user: "viewer", device: "z", hears: false, interval: .seconds(3_600))
        _ = try await patient.save(TelemetrySubscription(id: "TelemetryEvent-All", recordType: "TelemetryEvent"))
        let following = Task {
            var ids: [String] = []
            for try await event in patient.eventStream() {
                ids.append(event.eventId)
                if ids.count == 2 { break }
            }
            return ids
        }
        for id in ["1", "2"] { try await client.append([TelemetryEvent(eventId: id, sessionId: "s", name: "n")]) }
        patient.handleRemoteNotification(
            StandInSession.userInfo(of: ServerPush(subscription: "TelemetryEvent-All", record: "event-2", isSilent: true)))
        #expect(try await following.value == ["1", "2"])
    }
}
