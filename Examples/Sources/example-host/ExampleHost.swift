import ArgumentParser
import FileWork
import Foundation
import TelemetryHTTP
import TelemetryLifecycle
import TelemetryLogging
import TelemetryPersistence
import TelemetryTransport

/// The program's options and setup.
@main
struct ExampleHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example-host",
        abstract: "Read files, and log events about it.",
        discussion: """
            The host reads one request per line from standard input: \(Request.help)

            Nothing is recorded until the user opts in with 'ask' and a viewer approves the client:
              telemetry approve CLIENT --directory STORE

            Over a relay, host and viewers may run on different machines:
              example-host --relay https://relay.example.com --token-file host-token FOLDER
            """)

    @Option(name: [.long, .customLong("directory")], help: "The store's directory, shared by host and viewers.")
    var store: String?

    @Option(help: "The relay's URL, instead of a directory.")
    var relay: String?

    @Option(name: .customLong("token-file"), help: "A file with the relay's token for hosts.")
    var tokenFile: String?

    @Option(help: "The directory for the host's settings. Default: the platform's location.")
    var state: String?

    @Option(help: "Append a line for each recorded event to this file.")
    var tally: String?

    @Option(help: "Replay this log file, one event per line, instead of reading a folder.")
    var input: String?

    @Option(help: "With --input: the number of the word that is a line's scenario, from 1.")
    var field: Int?

    @Option(help: "Keep the last events of this scenario in the flight recorder while it is off; repeat for more.")
    var record: [String] = []

    @Flag(help: "Print reports as JSON, one object per line.")
    var json = false

    @Argument(help: "The folder to read.")
    var folder: String?

    func validate() throws {
        guard (folder == nil) != (input == nil) else { throw ValidationError("Give a folder, or --input with a log file.") }
        guard field == nil || input != nil else { throw ValidationError("--field requires --input.") }
        guard (store == nil) != (relay == nil) else { throw ValidationError("Give --store DIRECTORY or --relay URL.") }
        guard tokenFile == nil || relay != nil else { throw ValidationError("--token-file requires --relay.") }
        if let relay, relayURL == nil {
            throw ValidationError("\"\(relay)\" is not a relay's URL. Example: https://relay.example.com.")
        }
    }

    @MainActor
    func run() async throws {
        let host = try Host(
            service: makeService(), work: makeWork(), tally: Tally(appendingTo: tally.map { URL(fileURLWithPath: $0) }),
            reporter: Reporter(asJSON: json))
        await host.run(requests: Request.stream())
    }

    private func makeWork() throws -> any Work {
        if let input { return try ReplayWork(file: URL(fileURLWithPath: input), field: field) }
        let root = URL(fileURLWithPath: folder ?? ".")
        guard (try? root.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true else {
            throw ValidationError("No folder at \(root.path).")
        }
        return FolderWork(root: root)
    }

    /// All that a host needs from LiveTelemetry: a transport, and a service that uses it.
    @MainActor
    private func makeService() throws -> TelemetryLifecycleService {
        let transport = try makeTransport()
        var configuration = TelemetryLifecycleService.Configuration(
            loggerConfiguration: .init(batchSize: 100, flushInterval: 0.2, recordsSignals: true),
            policy: TelemetryPolicy(recordedScenarios: Set(record), capturesAfterCrash: true))
        guard let state else {
            return TelemetryLifecycleService(transport: transport, configuration: configuration)
        }
        let directory = URL(fileURLWithPath: state)
        configuration.loggerConfiguration.spoolDirectory = directory.appendingPathComponent("spool")
        return TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: directory), transport: transport,
            configuration: configuration, scenarioStore: FileTelemetryScenarioStore(directory: directory))
    }

    /// A directory of this machine, or a relay.
    private func makeTransport() throws -> any TelemetryTransporting {
        guard let relayURL else { return try FileTelemetryTransport(directory: URL(fileURLWithPath: store ?? ".")) }
        // The secret proves that the events belong to this installation. Keep it with the host's other state.
        let secrets = FileTelemetrySecretStore(
            directory: state.map { URL(fileURLWithPath: $0) }
                ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/state/example-host"))
        return HTTPTelemetryTransport(url: relayURL, credentials: .host(token: try token(), secrets: secrets))
    }

    private var relayURL: URL? {
        guard let url = relay.flatMap(URL.init(string:)), ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil
        else { return nil }
        return url
    }

    /// Nil for a relay on this machine without tokens.
    private func token() throws -> String? {
        guard let tokenFile else { return ProcessInfo.processInfo.environment["LIVE_TELEMETRY_TOKEN"] }
        do { return try String(contentsOfFile: tokenFile, encoding: .utf8) } catch {
            throw ValidationError("Cannot read the token file \(tokenFile): \(error.localizedDescription)")
        }
    }
}
