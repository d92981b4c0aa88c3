import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Shop
import TelemetryServiceLifecycle
import UnixSignals

@main
struct ShopServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shop-server",
        abstract: "A web shop whose log messages a viewer turns on and off, per area.",
        discussion: """
            The server's operator requests telemetry once with --opt-in; a viewer approves it:
              telemetry approve CLIENT --directory STORE
            SIGUSR1 pauses telemetry, SIGUSR2 resumes it. SIGTERM and SIGINT end the server; what was logged is delivered before.
            """)

    @OptionGroup var store: DestinationOptions

    @Option(help: "The port; 0 for any.")
    var port = 8080

    @Flag(help: "Request telemetry, or withdraw the request and delete the data.")
    var consent: Consent?

    enum Consent: String, EnumerableFlag {
        case optIn, optOut
    }

    @MainActor
    func run() async throws {
        let telemetry = try ShopTelemetry(transport: store.transport(), state: store.state)
        let server = ShopServer.make(port: port, middleware: CustomerContext()) { Output.line("listening on \($0)") }
        try await telemetry.start(consent)
        // Services end in the reverse order: first the server, then what its last requests logged is delivered.
        let group = ServiceGroup(
            services: [telemetry.service, OperatorSignals(telemetry: telemetry.service), server],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: Logger(label: "services"))
        try await group.run()
    }
}
