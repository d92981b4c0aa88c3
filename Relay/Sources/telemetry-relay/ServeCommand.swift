import ArgumentParser
import CMalloc
import Foundation
import Hummingbird
import Logging
import TelemetryRelay

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", abstract: "Run the relay (the default).")

    @OptionGroup var address: AddressOptions
    @OptionGroup var store: DatabaseOptions
    @Flag(help: "Keep all data in memory only.")
    var inMemory = false
    @OptionGroup var limits: LimitOptions
    @OptionGroup var retention: RetentionOptions
    @OptionGroup var messages: MessageOptions
    @OptionGroup var signIn: SignInOptions
    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel: Logger.Level = .info

    func run() async throws {
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        var logger = Logger(label: "telemetry-relay")
        logger.logLevel = logLevel
        let configuration = try configuration()
        Relay.raiseDescriptorLimit()
        #if canImport(Glibc)
        // Otherwise, freeing a page of events raises this threshold to its size, and later ones stay with the process (mallopt(3)).
        _ = mallopt(M_MMAP_THRESHOLD, 1 << 20)
        #endif
        let storage = try await Relay.storage(for: configuration, logger: logger)
        let application = try Relay.application(
            configuration: configuration, storage: storage, logger: logger
        ) { [logger] port in
            Self.announce(configuration, port: port ?? configuration.port, logger)
        }
        try await Relay.serve(application, configuration: configuration, storage: storage)
        try await storage.close()
        logger.info("stopped")
    }

    private static func announce(_ configuration: RelayConfiguration, port: Int, _ logger: Logger) {
        if let file = configuration.portFile {
            do {
                try Data("\(port)\n".utf8).write(to: URL(filePath: file), options: .atomic)
            } catch {
                logger.error("cannot write the port file", metadata: ["file": "\(file)", "error": "\(error)"])
            }
        }
        let address = configuration.address(port: port)
        logger.info(
            "listening on \(address)",
            metadata: [
                "address": "\(address)",
                "database": "\(configuration.databaseDescription)",
            ])
    }

    private func configuration() throws -> RelayConfiguration {
        var options = RelayOptions()
        address.apply(to: &options)
        options.database = store.database
        options.inMemory = inMemory
        options.auditAge = retention.auditAge
        messages.apply(to: &options)
        signIn.apply(to: &options)
        options.retain = retention.retain
        for numbers in [limits.numbers, retention.numbers] {
            options.numbers.merge(numbers.compactMapValues { $0 }) { $1 }
        }
        return try options.resolved()
    }
}

extension RelayOptions {
    /// The configuration with this process's environment. Errors are converted to usage errors.
    func resolved() throws -> RelayConfiguration {
        do {
            return try configuration(environment: ProcessInfo.processInfo.environment)
        } catch let error as RelayConfigurationError {
            throw ValidationError(error.description)
        }
    }
}
