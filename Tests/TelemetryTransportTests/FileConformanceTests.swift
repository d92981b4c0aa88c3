@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct FileConformanceTests {
    private let directory = TemporaryDirectory()

    @Test("The file transport passes every check", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            .init(
                transport: try FileTelemetryTransport(directory: directory.url),
                connectAgain: { try FileTelemetryTransport(directory: directory.url) })
        }
        #expect(try await suite.run(check) == .passed)
    }
}
