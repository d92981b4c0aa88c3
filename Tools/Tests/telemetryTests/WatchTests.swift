import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

struct WatchTests {
    @Test("On a terminal it draws, hears keys, and leaves the terminal as it was", arguments: [true, false])
    func terminal(byKey: Bool) async throws {
        try await withDirectory { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "k7wq", isEnabled: false)
            try await transport.append([.init(clientId: "k7wq", sessionId: "s", sequence: 1, name: "hello.there")])
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = Process()
            tool.executableURL = ToolProcess.executable
            tool.arguments = ["watch", "-d", folder.path]
            tool.standardInput = terminal.other
            tool.standardOutput = terminal.other
            try tool.run()
            terminal.closeOther()
            var screen = try await terminal.text { $0.contains("k7wq") && $0.contains("waits (a)") && $0.contains("hello.there") }
            #expect(screen.hasPrefix("\u{1B}[?1049h"))
            terminal.write("/")
            screen += try await terminal.text { $0.contains("type to filter") }
            if byKey {
                terminal.write("\u{3}")
            } else {
                kill(tool.processIdentifier, SIGTERM)
            }
            let end = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(end.contains("\u{1B}[?25h"))
            tool.waitUntilExit()
            #expect(tool.terminationReason == .exit)
            #expect(tool.terminationStatus == 0)
        }
    }

    @Test("Without a terminal it says so")
    func noTerminal() async throws {
        let result = try await ToolProcess.run("watch", "-d", "/tmp")
        #expect(result.code == 69)
        #expect(
            result.errors
                == "telemetry: watch needs a terminal for input and output; in a pipe use: telemetry events --follow\n")
    }
}
