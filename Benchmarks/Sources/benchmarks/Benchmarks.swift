import ArgumentParser
import Foundation
import Measure

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmarks",
        abstract: "Figures of LiveTelemetry and its peers, of one run, with their ratios.",
        subcommands: [All.self, Store.self, Follow.self, Large.self, LoggerFigures.self, Speak.self, Weigh.self],
        defaultSubcommand: All.self)
}

/// What every suite takes.
struct Scale: ParsableArguments {
    @Option(help: "How many rounds each contender runs; the median is shown.")
    var rounds = 7

    @Flag(help: "Small rounds, to see that everything works. The figures say nothing.")
    var quick = false

    var effectiveRounds: Int { quick ? 1 : max(1, rounds) }

    /// The size of a round.
    func size(_ full: Int) -> Int { quick ? max(1, full / 50) : full }
}

struct All: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Everything, one after the other.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await LoggerSuite(scale: scale).run()
        try await StoreSuite(scale: scale).run()
        try await FollowSuite(scale: scale).run()
        try await LargeStoreSuite(scale: scale, clients: scale.size(1_000), events: scale.size(5_000_000)).run()
    }
}

struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "The file transport: append, read back, encode, decode, size.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await StoreSuite(scale: scale).run()
    }
}

struct Follow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "How soon another process hears of what was stored.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await FollowSuite(scale: scale).run()
    }
}

struct Large: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Reading what is new in a large store.")

    @OptionGroup var scale: Scale
    @Option(help: "How many clients the store has.") var clients = 1_000
    @Option(help: "How many events the store has.") var events = 5_000_000

    func run() async throws {
        print(Machine.description)
        try await LargeStoreSuite(scale: scale, clients: scale.size(clients), events: scale.size(events)).run()
    }
}

struct LoggerFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logger", abstract: "The logger: off, on, paced, from several threads, end to end, in bytes.")

    @OptionGroup var scale: Scale

    func run() async throws {
        print(Machine.description)
        try await LoggerSuite(scale: scale).run()
    }
}
