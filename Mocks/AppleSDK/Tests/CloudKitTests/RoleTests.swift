import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Synchronization
import TelemetryCloudKit
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// The permissions of the schema file's roles, as the fake server enforces them.
struct RoleTests {
    private let world: World
    private let viewer: CloudKitTransport
    private let client: CloudKitTransport
    private let stranger: CloudKitTransport

    init() throws {
        world = try World.deployed()
        world.server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
        viewer = world.transport(user: "viewer", device: "a")
        client = world.transport(user: "client", device: "b")
        stranger = world.transport(user: "stranger", device: "c")
    }

    private func command(_ id: String, _ action: TelemetrySchema.CommandAction = .enable) -> TelemetryCommandRecord {
        TelemetryFixtures.command(action, commandId: id, clientId: "c")
    }

    @Test("Only the viewer can create commands")
    func onlyTheViewerCommands() async throws {
        try await viewer.createCommand(command("1"))
        for other in [client, stranger] {
            let error = await #expect(throws: TelemetryTransportError.self) {
                try await other.createCommand(command("2"))
            }
            #expect(error?.code == .unauthorized)
        }
        #expect(try await client.fetchPendingCommands(for: "c").map(\.commandId) == ["1"])
    }

    @Test("A client marks a command that it may not change, and viewer and client read the new status")
    func marking() async throws {
        let created = try await viewer.createCommand(command("1"))
        try await viewer.createCommand(command("2"))
        let id = try #require(created.recordID)
        let end = TelemetryFixtures.date
        try await client.updateCommandStatus(recordID: id, status: .executed, executedAt: end)
        #expect(try await client.fetchPendingCommands(for: "c").map(\.commandId) == ["2"])
        for reader in [client, viewer] {
            let read = try #require(try await reader.fetchCommand(recordID: id))
            #expect(read.status == .executed)
            #expect(read.executedAt == end)
            #expect(read.action == .enable)
        }
        try await client.updateCommandStatus(recordID: id, status: .failed, errorMessage: "changed its mind")
        #expect(try await viewer.fetchCommand(recordID: id)?.status == .failed)
    }

    @Test(
        "Another user's receipt for a command is ignored, whether the server reports it or not",
        arguments: [false, true])
    func forgedReceipt(reportsForbidden: Bool) async throws {
        world.server.configure { $0.reportsForbidden = reportsForbidden }
        let id = try #require(try await viewer.createCommand(command("1")).recordID)
        try await stranger.updateCommandStatus(recordID: id, status: .executed)
        #expect(try await client.fetchPendingCommands(for: "c").map(\.commandId) == ["1"])
        let error = await #expect(throws: TelemetryTransportError.self) {
            try await client.updateCommandStatus(recordID: id, status: .executed)
        }
        #expect(error?.code == .corrupted)
        // Only its owner may delete it; the client skips it.
        #expect(try await client.deleteAllCommands(for: "c") == 0)
    }

    @Test("If another device of the same user marks a command meanwhile, the first receipt counts")
    func twoDevices() async throws {
        let id = try #require(try await viewer.createCommand(command("1")).recordID)
        let interference = Interference(before: "save [\"receipt") { [client] in
            try await client.updateCommandStatus(recordID: id, status: .failed, errorMessage: "first")
        }
        let session = StandInSession(server: world.server, user: "client", device: "d", traffic: interference)
        let slow = StandInSession.$current.withValue(session) { CloudKitTransport(containerIdentifier: "iCloud.test") }
        let read = try #require(try await slow.record(withID: id))
        let error = await #expect(throws: TelemetryTransportError.self) {
            _ = try await slow.save([read], policy: .ifUnchanged)
        }
        #expect(error?.code == .conflict)
        #expect(try await viewer.fetchCommand(recordID: id)?.errorMessage == "first")
    }

    @Test("Deleting a client deletes its commands, including those that it may not delete itself")
    func removing() async throws {
        let id = try #require(try await viewer.createCommand(command("1")).recordID)
        try await viewer.createCommand(command("2"))
        try await client.updateCommandStatus(recordID: id, status: .executed)
        #expect(try await client.deleteAllCommands(for: "c") == 2)
        #expect(try await client.deleteAllCommands(for: "c") == 0)
        #expect(try await client.fetchPendingCommands(for: "c").isEmpty)
        #expect(try await viewer.fetchCommand(recordID: id) == nil)
    }

    @Test("Deleting a command deletes its receipt")
    func receiptsGo() async throws {
        let id = try #require(try await viewer.createCommand(command("1")).recordID)
        try await client.updateCommandStatus(recordID: id, status: .executed)
        #expect(world.server.records().count == 2)
        try await viewer.deleteCommand(recordID: id)
        #expect(world.server.records().isEmpty)
    }

    @Test("A client's data can be read only by the client and the viewer")
    func ownData() async throws {
        let stored = try await client.createTelemetryClient(clientId: "c", isEnabled: false)
        let id = try #require(stored.recordID)
        try await client.append([TelemetryEvent(eventId: "e", clientId: "c", sessionId: "s", name: "n")])
        #expect(try await stranger.fetchTelemetryClients().isEmpty)
        #expect(try await stranger.fetchAllEvents().isEmpty)
        #expect(try await stranger.deleteAllEvents() == 0)
        try await viewer.updateTelemetryClient(recordID: id, isEnabled: true)
        #expect(try await client.fetchTelemetryClients(clientId: "c").map(\.isEnabled) == [true])
        #expect(try await viewer.fetchAllEvents().map(\.eventId) == ["e"])
        #expect(try await client.deleteEvents(forClient: "c") == 1)
        try await client.deleteTelemetryClient(recordID: id)
        #expect(world.server.records().isEmpty)
    }

    @Test("A settings backup is refused in the public database, for every user")
    func noBackupInPublic() async throws {
        let backup = TelemetryRecord(recordType: TelemetrySchema.settingsBackupRecordType, recordID: "backup")
        for user in [viewer, client] {
            let error = await #expect(throws: TelemetryTransportError.self) {
                _ = try await user.save([backup], policy: .insert)
            }
            #expect(error?.code == .unauthorized)
        }
    }
}

/// Runs an action before the first request with a prefix.
private final class Interference: StandInTraffic {
    private let prefix: String
    private let body: Mutex<(@Sendable () async throws -> Void)?>

    init(before prefix: String, _ body: @escaping @Sendable () async throws -> Void) {
        self.prefix = prefix
        self.body = Mutex(body)
    }

    func request(_ what: String) async throws(ServerFault) -> Bool {
        guard what.hasPrefix(prefix) else { return true }
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        do { try await body?() } catch { Issue.record(error) }
        return true
    }

    func answer(to what: String) async throws(ServerFault) {}
}
