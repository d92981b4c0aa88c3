import ArgumentParser
import Logging
import ServiceLifecycle
import Shop
import UnixSignals

/// The server without LiveTelemetry.
@main
struct PlainShopServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop-server-plain", abstract: "The shop's server without LiveTelemetry, for comparison.")

    @Option(help: "The port; 0 for any.")
    var port = 8080

    func run() async throws {
        LoggingSystem.bootstrap { label in
            var console = StreamLogHandler.standardError(label: label)
            console.logLevel = .error
            return console
        }
        let server = ShopServer.make(port: port) { Output.line("listening on \($0)") }
        let group = ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "services"))
        try await group.run()
    }
}
