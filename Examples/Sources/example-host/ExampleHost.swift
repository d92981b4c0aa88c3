import ArgumentParser
import FileWork
import Foundation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryPersistence
import TelemetryTransport

/// The options of the program, and how its parts are put together.
@main
struct ExampleHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "example-host",
        abstract: "Reads files for a living, and lets a viewer look on.",
        discussion: """
            The host takes one request a line from standard input: \(Request.help)

            Nothing is recorded before 'ask' was said here and a viewer has approved it:
              telemetry approve CLIENT --directory STORE
            """)

    @Option(help: "The directory that host and viewers share.")
    var store: String

    @Option(help: "Where the host keeps its own settings; the platform's place unless given.")
    var state: String?

    @Option(help: "Append a line for every event recorded, to hold against what arrived.")
    var tally: String?

    @Option(help: "Replay this log file, a line an event, instead of reading a folder.")
    var input: String?

    @Option(help: "With --input: which word of a line is its scenario, the first being 1.")
    var field: Int?

    @Flag(help: "Report in JSON, an object a line.")
    var json = false

    @Argument(help: "The folder to read.")
    var folder: String?

    func validate() throws {
        guard (folder == nil) != (input == nil) else { throw ValidationError("Give a folder, or --input with a log file.") }
        guard field == nil || input != nil else { throw ValidationError("--field goes with --input.") }
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
            throw ValidationError("There is no folder at \(root.path).")
        }
        return FolderWork(root: root)
    }

    /// All that a host needs of LiveTelemetry: a transport, and the service over it.
    @MainActor
    private func makeService() throws -> TelemetryLifecycleService {
        let transport = try FileTelemetryTransport(directory: URL(fileURLWithPath: store))
        var configuration = TelemetryLifecycleService.Configuration(
            loggerConfiguration: .init(batchSize: 100, flushInterval: 0.2))
        guard let state else {
            return TelemetryLifecycleService(transport: transport, configuration: configuration)
        }
        let directory = URL(fileURLWithPath: state)
        configuration.loggerConfiguration.spoolDirectory = directory.appendingPathComponent("spool")
        return TelemetryLifecycleService(
            settingsStore: FileTelemetrySettingsStore(directory: directory), transport: transport,
            configuration: configuration, scenarioStore: FileTelemetryScenarioStore(directory: directory))
    }
}
