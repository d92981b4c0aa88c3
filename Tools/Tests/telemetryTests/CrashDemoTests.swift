import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

struct CrashDemoTests {
    @Test(
        "A host that crashed tells why, and sends the events before, without a viewer", .timeLimit(.minutes(10)),
        .disabled(if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil, "The sanitizer handles the host's signal"))
    func story() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let files = folder.appendingPathComponent("files")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            for number in 1...20 {
                try Data("file \(number)".utf8).write(to: files.appendingPathComponent("\(number).txt"))
            }
            let demo = try await ToolProcess.run("crash-demo", files.path, environment: ["TMPDIR": folder.path])
            #expect(demo.code == 0, "\(demo.output)\(demo.errors)")
            #expect(demo.output.contains("0 events stored ✓"))
            #expect(demo.output.contains("ended by SIGSEGV ✓"))
            #expect(demo.output.contains("at the error ✓"))
            #expect(demo.output.contains("[captured]"))
            #expect(
                demo.output.contains("are the last that the crashed host logged ✓, each once, marked telemetry.captured ✓"))
            #expect(!demo.output.contains("✗"))
            #if os(Linux)
            #expect(demo.output.contains("Host.crash()"))
            #endif
        }
    }

    @Test("A folder that does not exist is an error")
    func noFolder() async throws {
        let demo = try await ToolProcess.run("crash-demo", "/nonexistent")
        #expect(demo.code == 66)
        #expect(demo.errors.contains("No folder at /nonexistent."))
    }
}
