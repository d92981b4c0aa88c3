import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Synchronization
import TelemetryCloudKit
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The fake server's pushes, and the transport's notifications for them.
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

    /// The payloads of all pushes to the client's device.
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

    @Test("A command reaches its client as a silent push with its subscription and record")
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

    @Test("A payload that is not CloudKit's is not a notification")
    func foreign() {
        for userInfo: [AnyHashable: Any] in [[:], ["aps": ["alert": "hello"]], ["ck": 1]] {
            #expect(TelemetryNotification(userInfo: userInfo) == nil)
            #expect(client.handleRemoteNotification(userInfo) == nil)
        }
    }

    @Test("If only the last of several pushes arrives, a query finds everything")
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

    @Test("If no push arrives, a query finds the command")
    func dropped() async throws {
        world.server.configure { $0.pushes = .dropped }
        try await client.createCommandSubscription(for: "c")
        let pushes = try await pushes { try await command("1") }
        #expect(pushes.isEmpty)
        #expect(try await client.fetchPendingCommands(for: "c").count == 1)
    }

    @Test("The device that made a change gets no push; the transport notifies its own streams")
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

    @Test("A push about events makes followers read at once")
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
