import ArgumentParser
import Foundation
import Measure

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Measure LiveTelemetry and its peers in one run, and print their ratios.",
        subcommands: [
            All.self, Store.self, Costs.self, Follow.self, Large.self, LoggerFigures.self, RuleFigures.self, RelayFigures.self,
            StartFigures.self, TriggerFigures.self, PostgreSQLFigures.self, QueryFigures.self, Speak.self, Weigh.self,
            LeaveRings.self, RelayHost.self,
        ],
        defaultSubcommand: All.self)
}

/// The options of every suite.
struct Scale: ParsableArguments {
    @Option(help: "The number of rounds of each contender; the median is printed.")
    var rounds = 7

    @Flag(help: "Use small rounds to check that everything works. The figures are not meaningful.")
    var quick = false

    var effectiveRounds: Int { quick ? 1 : max(1, rounds) }

    /// The size of a round.
    func size(_ full: Int) -> Int { quick ? max(1, full / 50) : full }
}

struct All: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Run all suites.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await LoggerSuite(scale: scale).run()
        try await StartSuite(scale: scale).run()
        try await TriggerSuite(scale: scale).run()
        try await StoreSuite(scale: scale).run()
        try await CostSuite(scale: scale).run()
        try await FollowSuite(scale: scale).run()
        try await RuleSuite(scale: scale, clients: scale.size(10_000)).run()
        try await LargeStoreSuite(scale: scale, clients: scale.size(1_000), events: scale.size(5_000_000)).run()
    }
}

struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the file transport: append, read, encode, decode, size.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await StoreSuite(scale: scale).run()
    }
}

struct Costs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure an event's whole way to a file store, and queries that few records match.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await CostSuite(scale: scale).run()
    }
}

struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure the latency between two processes.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await FollowSuite(scale: scale).run()
    }
}

struct Large: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure reading new events in a large store.")

    @OptionGroup var scale: Scale
    @Option(help: "The number of clients in the store.") var clients = 1_000
    @Option(help: "The number of events in the store.") var events = 5_000_000

    func run() async throws {
        print(Machine.description)
        try await LargeStoreSuite(scale: scale, clients: scale.size(clients), events: scale.size(events)).run()
    }
}

struct LoggerFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logger", abstract: "Measure the logger: off, on, paced, from several threads, end to end, in bytes.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await LoggerSuite(scale: scale).run()
    }
}

struct StartFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Measure a start after a crash, with the flight recorder's rings full.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await StartSuite(scale: scale).run()
    }
}

struct TriggerFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "triggers", abstract: "Measure what 200 triggers cost the delivery to a file store.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await TriggerSuite(scale: scale).run()
    }
}

struct RuleFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules", abstract: "Measure a client's decisions, and many clients that follow a rule.")

    @OptionGroup var scale: Scale
    @Option(help: "The number of clients.") var clients = 10_000

    func run() async throws {
        print(Machine.description)
        try await RuleSuite(scale: scale, clients: scale.size(clients)).run()
    }
}
