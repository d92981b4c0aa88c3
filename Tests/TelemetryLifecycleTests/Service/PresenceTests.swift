import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// When a client was last seen and its versions, in its record.
@MainActor
struct PresenceTests {
    private static let interval = Duration.seconds(900)

    /// The saves of the client's record.
    private func writes(_ host: TestHost) -> Int {
        host.transport.savedRecords.count { $0.recordType == TelemetrySchema.clientRecordType }
    }

    @Test("An opt-in creates the record with the date and the versions, in one write")
    func optIn() async throws {
        let host = try await TestHost(interval: Self.interval, attributes: ["appVersion": "host", "osVersion": "host"])
        await host.service.enableTelemetry()
        let client = try #require(try await host.client)
        #expect(client.lastSeen == TelemetryFixtures.date)
        let device = TelemetryDeviceInfo.current
        #expect(client.osVersion == device.osVersion && client.deviceModel == device.deviceModel)
        #expect(client.libraryVersion == LiveTelemetryVersion.version)
        #expect(client.app == CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent }, "without a bundle")
        let appVersion = try #require(client.appVersion)
        #expect(!appVersion.isEmpty && device.appVersion.hasPrefix(appVersion), "not the host's attribute")
        #expect(host.service.clientRecord == client)
        #expect(writes(host) == 1)
    }

    @Test("Before an opt-in and after an opt-out nothing is written")
    func withoutConsent() async throws {
        let host = try await TestHost(interval: Self.interval)
        await host.comeUp()
        await host.service.reconcile()
        #expect(host.transport.calls.isEmpty)
        await host.service.enableTelemetry()
        await host.service.disableTelemetry()
        host.wall.date += 3_600
        host.transport.forgetCalls()
        await host.service.reconcile()
        #expect(host.transport.savedRecords.isEmpty)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
    }

    @Test("The date is written at startup, and then at most once per reconcile interval")
    func interval() async throws {
        let host = try await TestHost.approved(interval: Self.interval)
        #expect(try await host.client?.lastSeen == TelemetryFixtures.date)
        #expect(writes(host) == 1)
        for seconds in [0.0, 600, 299] {
            host.wall.date += seconds
            await host.service.reconcile()
        }
        #expect(writes(host) == 1)
        host.wall.date += 1
        await host.service.reconcile()
        await host.service.reconcile()
        #expect(writes(host) == 2)
        #expect(try await host.client?.lastSeen == TelemetryFixtures.date + 900)
        host.restart()
        host.wall.date += 60
        await host.comeUp()
        #expect(writes(host) == 3)
        #expect(try await host.client?.lastSeen == TelemetryFixtures.date + 960)
    }

    @Test("Without a reconcile interval the date is written at startup alone")
    func startupAlone() async throws {
        let host = try await TestHost.approved()
        host.wall.date += 1e6
        await host.service.reconcile()
        #expect(writes(host) == 1)
        #expect(try await host.client?.lastSeen == TelemetryFixtures.date)
    }

    @Test("A client of a new opt-in is written although another client was written just before")
    func newClient() async throws {
        let host = try await TestHost(identifiers: ["firstclient", "secondclient"], interval: Self.interval)
        await host.service.enableTelemetry()
        await host.service.disableTelemetry()
        try await host.transport.store.createTelemetryClient(TelemetryFixtures.client("secondclient"))
        await host.service.enableTelemetry()
        let client = try await host.transport.store.fetchTelemetryClients(clientId: "secondclient").first
        #expect(client?.lastSeen == TelemetryFixtures.date && client?.libraryVersion != nil)
    }

    @Test("The pause and a due date are one write; other fields of the record are kept")
    func oneWrite() async throws {
        let host = try await TestHost(
            settings: TelemetryFixtures.approvedSettings, server: true, interval: Self.interval)
        var record = try #require(try await host.transport.store.record(withID: .client(TestHost.clientId)))
        record["note"] = "of a viewer"
        _ = try await host.transport.store.save([record], policy: .ifUnchanged)
        await host.scenarioStore.savePause(.byHost)
        await host.comeUp()
        #expect(writes(host) == 1)
        record = try #require(try await host.transport.store.record(withID: .client(TestHost.clientId)))
        #expect(record["note"] == "of a viewer" && record["isPaused"] == true && record["isEnabled"] == true)
        #expect(record["lastSeen"] == .date(TelemetryFixtures.date))
        await host.service.resumeTelemetry()
        #expect(writes(host) == 2)
        #expect(try await host.client?.isPaused == false)
    }

    @Test("A write that fails is reported and made at the next reconciliation")
    func failure() async throws {
        let host = try await TestHost(
            settings: TelemetryFixtures.approvedSettings, server: true, interval: Self.interval)
        host.transport.fail(.saveRecords, with: TelemetryTransportError(code: .unavailable, message: "away"))
        await host.comeUp()
        #expect(host.service.status == .enabled)
        #expect(host.told.all.contains { $0.kind == .transportFailed })
        #expect(try await host.client?.lastSeen == nil)
        await host.service.reconcile()
        #expect(try await host.client?.lastSeen == TelemetryFixtures.date)
    }

    /// An approved host whose first write of the date does not return until it is released.
    private func hostWhileDateIsWritten() async throws -> TestHost {
        let host = try await TestHost(
            settings: TelemetryFixtures.approvedSettings, server: true, interval: Self.interval)
        host.transport.hold(.saveRecords)
        await host.service.startup()
        await host.transport.held(.saveRecords)
        return host
    }

    @Test("A record that was deleted while the date is written is not created again")
    func deleted() async throws {
        let host = try await hostWhileDateIsWritten()
        try await host.transport.store.deleteTelemetryClient(recordID: .client(TestHost.clientId))
        host.transport.release(.saveRecords)
        await host.service.restorationFinished()
        #expect(try await host.client == nil)
        #expect(await host.reconciles(to: .missingClient, orAlready: .allDisabled))
    }

    @Test("An opt-out while the date is written leaves nothing in the store")
    func optOutMeanwhile() async throws {
        let host = try await hostWhileDateIsWritten()
        async let settings = host.service.disableTelemetry()
        await host.service.optedOut()
        host.transport.release(.saveRecords)
        #expect(await settings == .defaults)
        #expect(try await host.belongings(of: TestHost.clientId) == 0)
    }
}
