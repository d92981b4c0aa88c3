import CloudKitWorld
import FakeCloudKitServer
import TelemetryCloudKit
import TelemetryModels
import TelemetryPersistence
import TelemetryTransport
import Testing

struct SettingsBackupTests {
    private let settings = TelemetrySettings(
        telemetryRequested: true, telemetrySendingEnabled: true, clientIdentifier: "abcdefghjk")

    @Test("A backup is read on every device of the user, and by no other user")
    func roundTrip() async throws {
        let world = try World.deployed()
        #expect(try await world.backup().loadSettings() == nil)
        try await world.backup().saveSettings(settings)
        #expect(try await world.backup().loadSettings() == settings)
        #expect(try await world.backup(user: "other").loadSettings() == nil)
        #expect(world.server.records(ofDatabase: "public").isEmpty)
    }

    @Test("A later backup replaces an earlier one, even with fewer fields")
    func replacing() async throws {
        let world = try World.deployed()
        try await world.backup().saveSettings(settings)
        try await world.backup().saveSettings(.defaults)
        #expect(try await world.backup().loadSettings() == .defaults)
        #expect(try await world.backup().loadSettings()?.clientIdentifier == nil)
    }

    @Test("Clearing removes the backup; a missing backup is not an error")
    func clearing() async throws {
        let world = try World.deployed()
        try await world.backup().clearSettings()
        try await world.backup().saveSettings(settings)
        try await world.backup().clearSettings()
        #expect(try await world.backup().loadSettings() == nil)
    }

    @Test("A save by another device meanwhile is overwritten")
    func race() async throws {
        let world = try World.deployed()
        let conflict = ServerFault(code: FaultCode.serverRecordChanged, message: "changed")
        world.server.failNextSaves(of: CloudKitSettingsBackup.recordName, [conflict, conflict])
        try await world.backup().saveSettings(settings)
        #expect(try await world.backup().loadSettings() == settings)
    }

    @Test("A record without the consent fields is corrupt, not a backup")
    func corrupt() async throws {
        let world = try World.deployed()
        let record = ServerRecord(type: "TelemetrySettingsBackup", name: CloudKitSettingsBackup.recordName)
        _ = try world.server.modify(
            database: "private of user", saving: [record], deleting: [], comparesTags: true,
            by: .init(user: "user", device: "old"))
        await #expect(throws: TelemetrySettingsBackupError.self) { try await world.backup().loadSettings() }
    }

    @Test("Without a network the coordinator's restore fails")
    func offline() async throws {
        let world = try World.deployed()
        world.server.failNextOperations([ServerFault(code: FaultCode.networkUnavailable, message: "offline")])
        let coordinator = TelemetrySettingsSyncCoordinator(backupClient: world.backup())
        guard case .failed = await coordinator.restoreSettingsFromBackup() else {
            Issue.record("the restore did not fail")
            return
        }
        #expect(await coordinator.restoreSettingsFromBackup() == .fresh)
    }
}
