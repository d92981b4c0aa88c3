public import ArgumentParser
import Foundation
import Hummingbird
public import Logging
import TelemetryRelay

@main
struct TelemetryRelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry-relay",
        abstract: "Takes the debug logs of apps and back ends, and answers searches.",
        discussion: """
            Each option can be set in the environment as well: TELEMETRY_RELAY_PORT=9000. The token is never an option, since \
            others see a command's options: TELEMETRY_RELAY_TOKEN, or a file.
            """)

    @Option(help: "The address to listen on (127.0.0.1).")
    var host: String?
    @Option(help: "The port to listen on (\(RelayConfiguration.defaultPort)); 0 for any.")
    var port: Int?
    @Option(help: "The database's file (\(RelayConfiguration.defaultDatabase.path)).", completion: .file())
    var database: String?
    @Flag(help: "Keep entries in memory only.")
    var inMemory = false
    @Option(help: "A file with the token that clients have to bear, or with sha256: and its hash.", completion: .file())
    var tokenFile: String?
    @Flag(help: "Allow an address that other machines can reach; needs a token.")
    var allowRemote = false
    @Option(help: "The largest body taken, in bytes (1048576).")
    var bodyLimit: Int?
    @Option(help: "The largest number of entries in a batch (1000).")
    var batchLimit: Int?
    @Option(help: "How many entries are kept, the newest (1000000).")
    var capacity: Int?
    @Option(
        name: .customLong("max-bytes"), help: "How many bytes the database uses at most; then the oldest entries go (2147483648)."
    )
    var maximumBytes: Int?
    @Option(name: .customLong("max-age"), help: "How many hours an entry is kept (720).")
    var maximumAge: Int?
    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "telemetry-relay")
        logger.logLevel = logLevel
        let configuration: RelayConfiguration
        do {
            configuration = try options.configuration(environment: ProcessInfo.processInfo.environment)
        } catch let error as RelayConfigurationError {
            throw ValidationError(error.description)
        }
        let metrics = RelayMetrics()
        let storage = try Relay.storage(for: configuration, metrics: metrics)
        let application = Relay.application(
            configuration: configuration, storage: storage, metrics: metrics, logger: logger
        ) { [logger] port in
            logger.info(
                "listening",
                metadata: [
                    "address": "http://\(configuration.host):\(port ?? configuration.port)",
                    "database": "\(configuration.database?.path ?? "in memory")",
                    "token": "\(configuration.token == nil ? "none" : "required")",
                ])
        }
        try await Relay.serve(application, configuration: configuration)
        logger.info("stopped")
    }

    private var options: RelayOptions {
        var options = RelayOptions()
        options.host = host
        options.port = port
        options.database = database
        options.inMemory = inMemory
        options.tokenFile = tokenFile
        options.allowRemote = allowRemote
        options.bodyLimit = bodyLimit
        options.batchLimit = batchLimit
        options.capacity = capacity
        options.maximumBytes = maximumBytes
        options.maximumAge = maximumAge
        return options
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
