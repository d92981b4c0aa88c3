import Foundation
@_spi(Tooling) import TelemetryTestKit
import TelemetryUI
import Testing

struct TelemetryTextsTests {
    private let directory = TemporaryDirectory()

    @Test("A host's table replaces only the texts that it contains")
    func hostTable() throws {
        let bundle = directory.url.appending(path: "host.bundle")
        let table = bundle.appending(path: "en.lproj")
        try FileManager.default.createDirectory(at: table, withIntermediateDirectories: true)
        try Data("\"toggle.title\" = \"Help us\";\n".utf8).write(to: table.appending(path: "LiveTelemetry.strings"))
        let host = try #require(Bundle(path: bundle.path))
        #expect(TelemetryTexts.isReworded("toggle.title", in: host))
        #expect(!TelemetryTexts.isReworded("toggle.hint", in: host))
    }

    @Test("A host without a table replaces no text")
    func noTable() throws {
        #expect(!TelemetryTexts.isReworded("toggle.title", in: .main))
    }
}
