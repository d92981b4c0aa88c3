import ArgumentParser
import Measure

/// Measures relays that share a PostgreSQL database.
struct PostgreSQLFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Two relays on PostgreSQL: throughput beside libpq, notifications, pages of a large store.",
        discussion: """
            Build the relay and the benchmarks with the trait first: swift build -c release --package-path Relay \
            --traits PostgreSQL --product telemetry-relay
            """)

    @OptionGroup var options: RelayFigures.Options
    @Option(help: "The address of a server on which databases may be created: postgresql://USER@HOST/NAME.")
    var server: String
    @Option(help: "The number of events in the large store.") var events = 10_000_000

    func run() async throws {
        #if PostgreSQL
        let suite = PostgreSQLSuite(
            scale: options.scale, executable: options.relayExecutable, server: server, events: options.scale.size(events))
        print(Machine.description)
        print(try await suite.throughput().run().text())
        try await suite.notifications()
        try await suite.pages()
        #else
        throw ValidationError("these benchmarks were built without libpq: build them with --traits PostgreSQL")
        #endif
    }
}
