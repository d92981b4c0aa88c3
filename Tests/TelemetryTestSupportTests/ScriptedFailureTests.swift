import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct ScriptedFailureTests {
    private let mock = MockTelemetryTransport()

    @Test("Only saves of the chosen record type fail")
    func ofOneType() async throws {
        mock.failSaving(TelemetrySchema.clientRecordType)
        try await mock.createScenarios([TelemetryFixtures.scenario()])
        await #expect(throws: TelemetryTransportError.self) { try await mock.createTelemetryClient(TelemetryFixtures.client()) }
        try await mock.createTelemetryClient(TelemetryFixtures.client())
        #expect(try await mock.store.fetchTelemetryClients().count == 1)
        #expect(mock.savedRecords.map(\.recordType).count { $0 == TelemetrySchema.clientRecordType } == 2)
    }

    @Test("A call that does not match a scripted failure does not use it up")
    func timesOfMatches() async throws {
        let (wanted, other) = (TelemetryFixtures.event(1), TelemetryFixtures.event(2))
        mock.fail(.append, times: 2) { call in
            if case .append(let events) = call { events.contains { $0.eventId == wanted.eventId } } else { false }
        }
        try await mock.append([other])
        for _ in 1...2 { await #expect(throws: TelemetryTransportError.self) { try await mock.append([wanted]) } }
        try await mock.append([wanted])
        #expect(mock.appendedEvents.map(\.eventId) == [other, wanted, wanted, wanted].map(\.eventId))
        #expect(try await mock.store.countEvents() == 2)
    }

    @Test("A backup stores saved settings, records its calls, and fails on request")
    func backup() async throws {
        let backup = MockSettingsBackup()
        let settings = TelemetrySettings(telemetryRequested: true, clientIdentifier: "c")
        #expect(try await backup.loadSettings() == nil)
        try await backup.saveSettings(settings)
        #expect(try await backup.loadSettings() == settings)
        await backup.fail(with: MockTelemetryTransport.unavailable)
        await #expect(throws: TelemetryTransportError.self) { try await backup.clearSettings() }
        await backup.fail(with: nil)
        let work = TelemetryPendingWork(deletions: [.init(clientId: "old")])
        try await backup.saveSettings(settings, pendingWork: work)
        #expect(try await backup.loadPendingWork() == work)
        #expect(await backup.settings == settings)
        try await backup.clearSettings()
        #expect(await backup.settings == nil)
        #expect(backup.calls == [.load, .save(settings), .load, .clear, .save(settings), .clear])
    }

    @Test("Commands are fetched by client and status, oldest first")
    func commands() async throws {
        for (number, client) in ["a", "b", "a"].enumerated() {
            try await mock.createCommand(
                TelemetryCommandRecord(
                    commandId: "\(number)", clientId: client, action: .enable,
                    created: Date(timeIntervalSince1970: Double(10 - number))))
        }
        try await mock.updateCommandStatus(recordID: TelemetryRecord.ID.command("0"), status: .failed, errorMessage: "no")
        #expect(try await mock.fetchCommands().map(\.commandId) == ["2", "1", "0"])
        #expect(try await mock.fetchCommands(for: "a").map(\.commandId) == ["2", "0"])
        #expect(try await mock.fetchCommands(for: "a", status: .failed).map(\.commandId) == ["0"])
    }
}
