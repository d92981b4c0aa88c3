import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Presses the tab key in real shells. `.ci/packages` installs those that are missing.
struct CompletionTests {
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        var path: String { "/usr/bin/\(rawValue)" }

        /// The options without the user's configuration.
        var options: [String] {
            switch self {
            case .bash: ["--norc", "--noprofile", "-i"]
            case .zsh: ["-f", "-i"]
            case .fish: ["--no-config", "-i"]
            }
        }

        /// Loads the completions, and makes the first tab list all of them.
        var setup: String {
            switch self {
            case .bash: "bind 'set show-all-if-ambiguous on'; source completions"
            case .zsh: "autoload -U compinit; compinit -u -D; source completions; compdef _telemetry telemetry; stty -ixon"
            case .fish: "source completions"
            }
        }
    }

    /// An interactive shell needs a terminal of its own, which only Linux has a program for.
    private static let session = "/usr/bin/setsid"
    private static let installed =
        FileManager.default.isExecutableFile(atPath: session)
        ? Shell.allCases.filter { FileManager.default.isExecutableFile(atPath: $0.path) } : []

    /// Each creates the file `ran` when a shell evaluates it.
    private static let hostile = [
        "x$(touch ran)", "x`touch ran`", "x';touch ran;'", "x\";touch ran;\"", "x\ntouch ran\n", "x;touch ran", "x|touch ran",
        "x&touch ran&", "x<(touch ran)", "x(touch ran)", "x${ran:=`touch ran`}", "x\\\";touch ran", "x$'\\n'touch ran",
        "x\u{2028}touch ran",
        "x touch ran", "x\ttouch ran", "-x", "x*", "x>ran",
    ]

    @Test(
        "The tab key offers names of letters, digits and -_.:, and evaluates no name",
        .enabled(if: !installed.isEmpty), .timeLimit(.minutes(10)), arguments: installed)
    func names(shell: Shell) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder.appending(path: "store"))
            for name in Self.hostile + ["xsafe-1.a_ü", "xsafe:2"] {
                try await transport.createTelemetryClient(clientId: name, isEnabled: true)
                try await transport.createScenarios([.init(clientId: "xsafe-1.a_ü", scenarioName: name, isEnabled: true)])
                try await transport.createRule(TelemetryRuleRecord(ruleId: name, scenarioName: "A"))
            }
            try await transport.append(
                Self.hostile.enumerated().map { number, name in
                    TelemetryEvent(
                        clientId: "xsafe-1.a_ü", sessionId: "s", sequence: UInt64(number), name: "n",
                        attributes: [name: true, "xsafe-1.a_ü": 1, "xsafe:2": 2])
                })
            try await transport.append(
                (Self.hostile + ["xsafe-1.a_ü", "xsafe:2"]).enumerated().map { number, name in
                    TelemetryEvent(
                        clientId: "xsafe-1.a_ü", sessionId: "t", sequence: UInt64(number), name: "telemetry.session",
                        attributes: ["session": .string(name)])
                })
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "telemetry"), withDestinationURL: ToolProcess.executable)
            let script = try await ToolProcess.run("--generate-completion-script", shell.rawValue)
            try Data(script.output.utf8).write(to: folder.appending(path: "completions"))

            let terminal = try PseudoTerminal(columns: 100, rows: 40)
            let program = try await terminal.start(
                Self.session, ["--ctty", "--wait", shell.path] + shell.options,
                environment: [
                    "TERM": "xterm", "HOME": folder.path, "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": folder.path,
                ])
            terminal.closeOther()
            terminal.write("cd '\(folder.path)'; export PATH=\"$PWD:$PATH\"; \(shell.setup); printf '%s%s\\n' rea dy\r")
            _ = try await terminal.text { $0.contains("ready") }
            for line in [
                "telemetry enable -d store x", "telemetry enable -d store xsafe-1.a_ü x", "telemetry query -d store xs",
                "telemetry watch -d store --where xs", "telemetry crashes -d store x", "telemetry rule test -d store x",
            ] {
                terminal.write(line + "\t\t")
                let offered = try await terminal.text { $0.contains("xsafe:2") && $0.contains("1.a_ü") }
                #expect(!offered.contains("touch"))
                terminal.write("\u{15}\u{15}printf '%s%s\\n' do ne\r")
                _ = try await terminal.text { $0.contains("done") }
            }
            terminal.write("exit\r")
            _ = try await program.end()
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "ran").path))
        }
    }
}
