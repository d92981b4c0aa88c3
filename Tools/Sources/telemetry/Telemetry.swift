import ArgumentParser
import TelemetryModels

/// The tool: a viewer of LiveTelemetry stores, and on the command line also a client.
@main
struct Telemetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry",
        abstract: "Look inside programs while they run, with their users' consent.",
        discussion: """
            The store is the directory that clients and viewers share: --directory DIR, or LIVE_TELEMETRY_STORE.

            Begin with:
              telemetry demo                                 see all of it at work
              telemetry clients --directory DIR              who asks to be approved
              telemetry approve CLIENT --directory DIR
              telemetry enable CLIENT SCENARIO --directory DIR
              telemetry events --follow --directory DIR

            Completion, of clients and scenarios too:
              telemetry --generate-completion-script bash > telemetry.bash
              source telemetry.bash                          in ~/.bashrc; zsh, fish too

            Exit codes: 0 done; 1 tried, and the answer is no; 64 wrong usage; 65 wrong data; 66 no such client, scenario, \
            store or file; 69 store unavailable; 73 cannot create; 74 input or output failed; 75 no answer yet; \
            77 no permission.
            """,
        version: LiveTelemetryVersion.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Looking",
                subcommands: [
                    ClientsCommand.self, ScenariosCommand.self, EventsCommand.self, CommandsCommand.self, SessionsCommand.self,
                    StatsCommand.self, WatchCommand.self, DebugCommand.self,
                ]),
            CommandGroup(
                name: "Steering",
                subcommands: [
                    ApproveCommand.self, EnableCommand.self, DisableCommand.self, DeleteEventsCommand.self, ForgetCommand.self,
                ]),
            CommandGroup(
                name: "Store",
                subcommands: [DoctorCommand.self, SchemaCommand.self, ExportCommand.self, ImportCommand.self]),
            CommandGroup(name: "Client", subcommands: [PipeCommand.self, DemoCommand.self]),
        ])
}
