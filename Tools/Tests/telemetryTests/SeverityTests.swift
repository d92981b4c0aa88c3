import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing
import ViewerKit

@testable import telemetry

struct SeverityTests {
    @Test("events --severity prints the events of that severity and above", arguments: [("warn", 3), ("fatal", 1), ("info", 4)])
    func filter(severity: String, count: Int) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            let words = ["debug", "warn", "error", "critical"]
            try await transport.append(
                words.map { TelemetryEvent(clientId: "a", sessionId: "s", name: $0, attributes: ["severity": .string($0)]) }
                    + [TelemetryEvent(clientId: "a", sessionId: "s", name: "plain")])
            let result = try await ToolProcess.run("events", "--severity", severity, "-o", "json", "-d", folder.path)
            #expect(result.lines.count == count)
            #expect(try await ToolProcess.run("events", "--severity", "loud", "-d", folder.path).code == 64)
        }
    }

    @Test("The event of a line has the date that the line states")
    func date() {
        let date = Date(timeIntervalSince1970: 1_774_000_000.5)
        let attributes = PipeClient.attributes(of: .init(level: .info, text: nil, attributes: ["a": 1], date: date))
        var event = TelemetryEvent(sessionId: "s", name: "n", attributes: attributes)
        #expect(PipeClient.setStatedDate(&event))
        #expect(event.timestamp == date)
        #expect(event.attributes == ["a": 1])
    }
}
