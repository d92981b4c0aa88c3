import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct PipeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        abstract: "Log the lines of standard input as events.",
        usage: "telemetry pipe --scenario NAME [options]",
        discussion: """
            The command is a client: approve it from another terminal, and enable its scenario. Lines that arrive while the \
            scenario is disabled are read but not recorded. The client's identity and the state of its scenario are saved, \
            so that it continues after a restart or a crash. Ends when the input ends and all events are delivered. For a \
            relay, use a token with the role host.

            Examples:
              tail -F /var/log/syslog | telemetry pipe --scenario Syslog -d /srv/store
              server --log-json | telemetry pipe --scenario Server --json
              server | telemetry pipe --scenario Server --level-from '^\\[(\\w+)\\]'
              server | telemetry pipe --scenario Server --relay https://relay.example.com --token-file host-token
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "The scenario of the events.")
    var scenario: String

    @Option(
        help: """
            The name under which the client's identity is saved. Pipes of one name that run at the same time are different \
            clients; after a restart a pipe is the same client. Default: the scenario's name.
            """)
    var name: String?

    @Option(help: "The level of the events: info or diagnostic.")
    var level = LevelArgument.info

    @Option(
        name: .customLong("level-from"),
        help: "A regular expression for the word with a line's level; debug, trace and similar words mean diagnostic.")
    var levelFrom: String?

    @Flag(
        help: """
            Lines are JSON objects: name, message, level or severity, and time or timestamp set those of the event; other fields \
            become attributes.
            """)
    var json = false

    @Flag(help: "Start reading when the client is approved and the scenario is enabled.")
    var hold = false

    func validate() throws {
        if scenario.isEmpty { throw ValidationError("--scenario must not be empty.") }
        do { _ = try parser() } catch let failure as ToolFailure { throw ValidationError(failure.message) }
    }

    private func parser() throws -> LineParser {
        try LineParser(level: level.level, levelPattern: levelFrom, isJSON: json)
    }

    func perform(_ console: Console) async throws {
        let parser = try parser()
        let location = try store.located()
        // A directory that is not a store is rejected before the pipe's state is created.
        if case .directory(let directory) = location { _ = try directory.openOrCreate() }
        let state = try await PipeState(name: name ?? scenario, store: location)
        let isVerbose = store.verbose
        let transport = try location.openAsHost(secretDirectory: state.directory) {
            console.diagnose($0, isVerbose: isVerbose)
        }
        let client = await PipeClient(
            transport: transport, state: state, scenario: scenario, parser: parser, hold: hold, console: console,
            store: location)
        try await SystemSignal.untilInterrupted { try await client.run() }
        await client.finish()
        withExtendedLifetime(state) {}
    }
}
