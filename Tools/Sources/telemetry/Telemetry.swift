import ArgumentParser
import TelemetryModels

/// The command-line tool: a viewer for LiveTelemetry stores, and a client for standard input.
@main
struct Telemetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "View and control the telemetry of running programs, with their users' consent.",
        discussion: """
            Clients and viewers share a store: a directory of this machine (--directory DIR, or \
            LIVE_TELEMETRY_STORE), or a relay (--relay URL with --token-file FILE, or LIVE_TELEMETRY_TOKEN). A context gives \
            a store a name: telemetry context add prod --relay https://relay.example.com --token-file FILE

            Getting started:
              telemetry demo                                 run a host and a viewer
              telemetry clients --directory DIR              list clients, including pending ones
              telemetry approve CLIENT --directory DIR
              telemetry enable CLIENT SCENARIO --for 15m --directory DIR
              telemetry events --follow --directory DIR

            Shell completion, including client and scenario names:
              telemetry --generate-completion-script bash > telemetry.bash
              source telemetry.bash                          in ~/.bashrc; also for zsh and fish

            Exit codes: 0 success; 1 failed; 64 invalid usage; 65 invalid data; 66 no such client, scenario, \
            store or file; 69 store unavailable; 73 cannot create; 74 input or output error; 75 no answer yet; \
            77 permission denied.
            """,
        version: LiveTelemetryVersion.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Inspect",
                subcommands: [
                    ClientsCommand.self, ScenariosCommand.self, EventsCommand.self, QueryCommand.self, CommandsCommand.self,
                    SessionsCommand.self, CrashesCommand.self, StatsCommand.self, AuditCommand.self, WatchCommand.self,
                    DebugCommand.self, MCPCommand.self,
                ]),
            CommandGroup(
                name: "Control",
                subcommands: [
                    ApproveCommand.self, EnableCommand.self, DisableCommand.self, ResetCommand.self, RuleCommand.self,
                    AlertCommand.self, CaptureCommand.self, PauseCommand.self, ResumeCommand.self,
                    DeleteEventsCommand.self, ForgetCommand.self,
                ]),
            CommandGroup(
                name: "Store",
                subcommands: [
                    ContextCommand.self, AliasCommand.self, DoctorCommand.self, SchemaCommand.self, ExportCommand.self,
                    ImportCommand.self, ForwardCommand.self,
                ]),
            CommandGroup(name: "Client", subcommands: [PipeCommand.self, DemoCommand.self, CrashDemoCommand.self]),
        ])

    static func main() async {
        if let mistake = MisspeltCommand(Array(CommandLine.arguments.dropFirst()), in: Self.self) {
            exit(withError: ValidationError(mistake.message))
        }
        await main(nil)
    }
}
