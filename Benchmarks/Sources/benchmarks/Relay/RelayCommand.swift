import ArgumentParser
import Foundation
import Measure

/// Measures the relay, which runs as a separate process, and its transport.
struct RelayFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "The relay and its transport: throughput, latency, size, open streams.",
        discussion: "Build the relay first: swift build -c release --package-path Relay --product telemetry-relay",
        subcommands: [Everything.self, Throughput.self, Alerts.self, Audit.self, Latency.self, Wire.self, Idle.self, Fleet.self],
        defaultSubcommand: Everything.self)

    struct Options: ParsableArguments {
        @Option(help: "The relay's executable, of a release build.")
        var relayExecutable = "Relay/.build/release/telemetry-relay"

        @OptionGroup var scale: Scale

        func suite() -> RelaySuite { RelaySuite(scale: scale, executable: relayExecutable) }
    }

    struct Everything: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "all", abstract: "Everything; a minute for the idle host, and ten for the fleet.")

        @OptionGroup var options: Options

        func run() async throws {
            print(Machine.description)
            let suite = options.suite()
            print(try await suite.throughput().run().text())
            try await suite.alerts()
            try await suite.audit()
            try await suite.latency()
            try await suite.wire()
            try await suite.idle(for: options.scale.quick ? 2 : 60)
            try await suite.fleet(for: options.scale.quick ? 4 : 600)
        }
    }

    struct Throughput: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Events stored in batches of 50 on 4 connections.")

        @OptionGroup var options: Options

        func run() async throws {
            print(Machine.description)
            print(try await options.suite().throughput().run().text())
        }
    }

    struct Alerts: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Events stored while a hundred alerts are evaluated.")

        @OptionGroup var options: Options

        func run() async throws {
            print(Machine.description)
            try await options.suite().alerts()
        }
    }

    struct Audit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Reads with and without an entry of the audit.")

        @OptionGroup var options: Options

        func run() async throws {
            print(Machine.description)
            try await options.suite().audit()
        }
    }

    struct Latency: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "From the viewer's command to the host, and from the host's event back.")

        @OptionGroup var options: Options

        func run() async throws {
            print(Machine.description)
            try await options.suite().latency()
        }
    }

    struct Wire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Bytes that the transport sends for an event.")

        @OptionGroup var options: Options

        func run() async throws { try await options.suite().wire() }
    }

    struct Idle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "What an idle host costs the relay.")

        @OptionGroup var options: Options
        @Option(help: "For how many seconds the host is idle.") var duration = 60

        func run() async throws {
            print(Machine.description)
            try await options.suite().idle(for: duration)
        }
    }

    struct Fleet: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Open streams, and hosts that append once a second while a viewer follows.")

        @OptionGroup var options: Options
        @Option(help: "For how many seconds the hosts append.") var duration = 600

        func run() async throws {
            print(Machine.description)
            try await options.suite().fleet(for: duration)
        }
    }
}

/// The relay beside a database in the own process, and the time and space that the way over it takes.
struct RelaySuite: Sendable {
    let scale: Scale
    let executable: String

    /// A line that compares a figure with its aim.
    static func verdict(_ name: String, _ value: Double, atMost aim: Double, _ unit: String) -> String {
        "- \(name): \(ratio(value))\(unit), aim ≤ \(ratio(aim))\(unit): \(value <= aim ? "met" : "not met")"
    }
}
