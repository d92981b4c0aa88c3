import Foundation
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// What the ends of sessions leave to be done.
@MainActor
struct SessionEndTests {
    @Test("However many sessions end while the store is out of reach, one deletion is owed and done")
    func manyOffline() async throws {
        let host = try await TestHost.approved()
        host.transport.isOffline = true
        for _ in 0..<300 {
            await #expect(throws: TelemetryTransportError.self) { try await host.service.endSession() }
        }
        #expect(host.service.settings.obligations.cleanups.count == 1)
        #expect(await host.settingsStore.load().obligations.cleanups.count == 1)
        host.transport.isOffline = false
        host.transport.forgetCalls()
        await host.service.reconcile()
        #expect(host.transport.calls(of: .deleteEvents).count == 1)
        #expect(host.transport.calls.count < 10)
        #expect(host.service.settings.obligations.isEmpty)
    }

    @Test("What an earlier version owed for each of many sessions is done in one")
    func manyStored() async throws {
        var settings = TelemetryFixtures.approvedSettings
        for second in 0..<300 {
            settings.obligations.cleanups.append(
                .init(clientId: TestHost.clientId, sessionEnd: TelemetryFixtures.date + TimeInterval(second - 400)))
        }
        let json = try JSONEncoder().encode(settings)
        let host = try await TestHost(
            settings: JSONDecoder().decode(TelemetrySettings.self, from: json), server: true)
        await host.comeUp()
        #expect(host.transport.calls(of: .deleteEvents).count == 1)
        #expect(host.service.settings.obligations.isEmpty)
    }
}
