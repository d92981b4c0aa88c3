import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

@MainActor
struct CaptureCommandTests {
    @Test("A capture prints how many events the client sent, and the store has them")
    func capture() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(
                store: store, identifier: "k7wq", policy: TelemetryPolicy(recordedScenarios: ["A"]))
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            for number in 1...12 { client.service.telemetryLogger.logEvent(name: "event \(number)", scenario: "A") }
            let captured = try await ToolProcess.run("capture", "k7", "A", "--last", "5m", "-d", store.path)
            #expect(captured.output.hasPrefix("✓ A on client k7wq: captured 12 events. (answered in "), "\(captured.errors)")
            await client.service.telemetryLogger.flush()
            #expect(try await client.transport.fetchAllEvents().map(\.name) == (1...12).map { "event \($0)" })
            let again = try await ToolProcess.run("capture", "k7wq", "A", "-d", store.path)
            #expect(again.output.hasPrefix("✓ A on client k7wq: captured 0 events."), "\(again.errors)")
        }
    }

    @Test("A capture of a scenario that the client does not keep fails with the reason")
    func rejected() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            let client = try await TestClient(store: store, identifier: "k7wq")
            _ = try await ToolProcess.run("approve", "k7wq", "-d", store.path)
            let refused = try await ToolProcess.run("capture", "k7wq", "A", "-d", store.path)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("does not keep events of the scenario"), "\(refused.errors)")
            #expect(client.service.status == .enabled)
        }
    }

    @Test("A duration that is not valid is a usage error", arguments: ["0s", "soon", "-5m"])
    func invalidDuration(text: String) async throws {
        let result = try await ToolProcess.run("capture", "k7wq", "A", "--last=\(text)", "-d", "/nowhere")
        #expect(result.code == 64)
        #expect(result.errors.contains("is not a valid duration"), "\(result.errors)")
    }
}
