import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

struct NotesHostTests {
    /// A running process of the example.
    private final class Host: Sendable {
        let lines: AsyncStream<String>
        private let process = Process()
        private let input = Pipe()

        init(_ folder: URL) throws {
            process.executableURL = Self.executable
            process.arguments = [folder.appending(path: "store").path, folder.appending(path: "notes.txt").path]
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["XDG_STATE_HOME": folder.appending(path: "state").path]) { _, own in own }
            let output = Pipe()
            process.standardInput = input
            process.standardOutput = output
            let (lines, continuation) = AsyncStream.makeStream(of: String.self)
            self.lines = lines
            try process.run()
            let handle = output.fileHandleForReading
            Thread {
                var rest = Data()
                while case let piece = handle.availableData, !piece.isEmpty {
                    rest += piece
                    while let end = rest.firstIndex(of: 0x0A) {
                        continuation.yield(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                        rest = Data(rest[(end + 1)...])
                    }
                }
                continuation.finish()
            }.start()
        }

        func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

        /// The next line with this text, or nil if the program ends first.
        func line(with text: String) async -> String? {
            for await line in lines where line.contains(text) { return line }
            return nil
        }

        func end(by signal: Int32) -> Int32 {
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : -1
        }

        private static var executable: URL {
            var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
            while folder.path != "/" {
                folder.deleteLastPathComponent()
                let host = folder.appending(path: "notes-host")
                if FileManager.default.isExecutableFile(atPath: host.path) { return host }
            }
            return URL(fileURLWithPath: "notes-host")
        }
    }

    @Test("The example opts in, follows commands and overrides, logs events, and ends its session on a signal")
    func story() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-host-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let host = try Host(folder)
        #expect(
            await host.line(with: "[telemetry disabled")?.contains("DataSync off, NetworkRequests off, UserInteraction off")
                == true)
        try host.type("note nobody sees this one")
        try host.type("agree")
        #expect(await host.line(with: "[telemetry pendingApproval, client ") != nil)
        let viewer = try FileTelemetryTransport(directory: folder.appending(path: "store"))
        let client = try #require(try await viewer.fetchTelemetryClients().first)
        try await viewer.createCommand(.init(clientId: client.clientId, action: .enable))
        #expect(await host.line(with: "[telemetry enabled") != nil)
        try await viewer.createCommand(
            .init(clientId: client.clientId, action: .enableScenario, scenarioName: "UserInteraction"))
        #expect(await host.line(with: "UserInteraction on") != nil)
        try host.type("on DataSync")
        #expect(await host.line(with: "DataSync on") != nil)
        var arrivals = viewer.eventStream().makeAsyncIterator()
        try host.type("note hello")
        try host.type("sync")
        try host.type("off DataSync")
        #expect(await host.line(with: "DataSync off") != nil)
        try host.type("agree")
        for (name, scenario) in [
            ("note.added", "UserInteraction"), ("sync.started", "DataSync"), ("sync.finished", "DataSync"),
        ] {
            let event = try #require(try await arrivals.next())
            #expect((event.name, event.scenario) == (name, scenario))
        }
        #expect(try String(contentsOf: folder.appending(path: "notes.txt"), encoding: .utf8) == "nobody sees this one\nhello\n")
        #expect(host.end(by: SIGTERM) == 0)
        #expect(await host.line(with: "[telemetry idle") != nil, "the service has ended, not only its logger")
        #expect(try await viewer.fetchScenarios().isEmpty)
        #expect(try await viewer.fetchTelemetryClients().map(\.isEnabled) == [true])
    }
}
