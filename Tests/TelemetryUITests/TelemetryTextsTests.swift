import Foundation
import TelemetryUI
import Testing

struct TelemetryTextsTests {
    @Test("A host's table replaces only the texts that it contains")
    func hostTable() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID()).bundle")
        let table = directory.appending(path: "en.lproj")
        try FileManager.default.createDirectory(at: table, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("\"toggle.title\" = \"Help us\";\n".utf8).write(to: table.appending(path: "LiveTelemetry.strings"))
        let host = try #require(Bundle(path: directory.path))
        #expect(TelemetryTexts.isReworded("toggle.title", in: host))
        #expect(!TelemetryTexts.isReworded("toggle.hint", in: host))
    }

    @Test("A host without a table replaces no text")
    func noTable() throws {
        #expect(!TelemetryTexts.isReworded("toggle.title", in: .main))
    }
}
