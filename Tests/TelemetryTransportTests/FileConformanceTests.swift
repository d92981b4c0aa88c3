import Foundation
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct FileConformanceTests {
    @Test("The file transport passes every check", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            let directory = FileManager.default.temporaryDirectory.appending(path: "live-telemetry-\(UUID().uuidString)")
            return .init(
                transport: try FileTelemetryTransport(directory: directory),
                connectAgain: { try FileTelemetryTransport(directory: directory) },
                remove: { try FileManager.default.removeItem(at: directory) })
        }
        #expect(try await suite.run(check) == .passed)
    }
}
