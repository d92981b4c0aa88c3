import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct PipeCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        abstract: "Make standard input a client: every line is an event.",
        usage: "telemetry pipe --scenario NAME [options]",
        discussion: """
            The client asks for approval; approve it from another terminal, and turn its scenario on. Lines that come while \
            the scenario is off are read and not recorded. Its identity and its scenario's state are kept, so that it goes on \
            where it stopped, also after a crash. Ends with its input, when all is delivered.

            Examples:
              tail -F /var/log/syslog | telemetry pipe --scenario Syslog -d /srv/store
              server --log-json | telemetry pipe --scenario Server --json
              server | telemetry pipe --scenario Server --level-from '^\\[(\\w+)\\]'
            """)

    @OptionGroup var store: StoreOptions

    @Option(help: "The scenario of the lines.")
    var scenario: String

    @Option(help: "Tells apart pipes that run at the same time; the scenario's name unless given.")
    var name: String?

    @Option(help: "The level of the lines: info or diagnostic.")
    var level = LevelArgument.info

    @Option(
        name: .customLong("level-from"),
        help: "A regular expression for the word that tells a line's level; debug, trace and the like are diagnostic.")
    var levelFrom: String?

    @Flag(help: "Lines are JSON objects: their fields become attributes, name, message and level what they say.")
    var json = false

    @Flag(help: "Wait with reading until the client is approved and the scenario on.")
    var hold = false

    func validate() throws {
        if scenario.isEmpty { throw ValidationError("The scenario needs a name.") }
        do { _ = try parser() } catch let failure as ToolFailure { throw ValidationError(failure.message) }
    }

    private func parser() throws -> LineParser {
        try LineParser(level: level.level, levelPattern: levelFrom, isJSON: json)
    }

    func perform(_ console: Console) async throws {
        let parser = try parser()
        let directory = try store.located()
        let transport = try store.openOrCreate(console)
        let state = try await PipeState(name: name ?? scenario, store: directory.url)
        let client = await PipeClient(
            transport: transport, state: state, scenario: scenario, parser: parser, hold: hold, console: console,
            store: directory.url.path)
        try await SystemSignal.untilInterrupted { try await client.run() }
        await client.finish()
        withExtendedLifetime(state) {}
    }
}
