import Foundation
import Logging
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@testable import TelemetryBootstrap

/// The public function in processes of its own, because a process bootstraps swift-log once.
struct WithTelemetryTests {
    private let directory = TemporaryDirectory()

    @Test("A viewer approves a program and turns a label on between its runs; the next run's messages are events")
    func runs() async throws {
        let store = try FileTelemetryTransport(directory: directory.url.appendingPathComponent("store"))
        for run in 1...3 {
            await #expect(processExitsWith: .success) { [folder = directory.url as URL] in
                // Where the settings are kept.
                setenv("XDG_STATE_HOME", folder.path, 1)
                await withTelemetry(
                    in: folder.appendingPathComponent("store"), scenarios: ["shop.checkout"],
                    configuration: .init(instance: folder.lastPathComponent),
                    console: { _ in SwiftLogNoOpLogHandler() }, metadataProvider: .init { ["request": "7"] }
                ) {
                    Logger(label: "shop.checkout").info("cart opened", metadata: ["items": "3"])
                }
            }
            let client = try #require(try await store.fetchTelemetryClients().first)
            #expect(client.isEnabled == (run > 1))
            if run == 1 {
                try await store.createCommand(TelemetryCommandRecord(clientId: client.clientId, action: .enable))
                try await store.createCommand(
                    TelemetryCommandRecord(clientId: client.clientId, action: .enableScenario, scenarioName: "shop.checkout"))
            }
        }
        // The second run executed the commands beside its message, which may have been recorded as well.
        let events = try await store.events(matching: .all, after: nil, limit: 10).events
        let event = try #require(events.last)
        #expect(events.count < 3)
        #expect(event.property1 == "cart opened" && event.scenario == "shop.checkout")
        #expect(event.attributes["items"] == "3" && event.attributes["request"] == "7")
    }
}
