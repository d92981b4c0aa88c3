import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// A small program with telemetry, as a template. Everything that it needs from LiveTelemetry is in this file.
///
///     notes-host STORE NOTES
///
/// STORE is the store's directory; the default is `telemetry-store` in the system's temporary directory. NOTES is the file for
/// the notes; the default is `notes.txt`.
@main
@MainActor
final class NotesHost {
    private let telemetry: TelemetryLifecycleService
    private var notebook: Notebook
    private var shown = ""

    init(store: URL, notes: URL) throws {
        // The transport that client and viewers share, and the service, which is the only object that a host uses.
        let transport = try FileTelemetryTransport(directory: store)
        // A viewer sees an event within a second. The default of thirty seconds saves energy.
        telemetry = TelemetryLifecycleService(
            transport: transport, configuration: .init(loggerConfiguration: .init(flushInterval: 1)))
        notebook = Notebook(file: notes, logger: telemetry.telemetryLogger)
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
        let temporary = FileManager.default.temporaryDirectory.appending(path: "telemetry-store")
        let host = try NotesHost(
            store: arguments.first ?? temporary, notes: arguments.dropFirst().first ?? URL(fileURLWithPath: "notes.txt"))
        await host.run()
    }

    func run() async {
        // First, restore the user's earlier consent. Without consent this does not access the store.
        await telemetry.startup()
        // Then register the scenarios. Their states of an earlier run are restored.
        await attempt { try await telemetry.registerScenarios(ExampleScenario.allCases.map(\.rawValue)) }
        showChanges()
        say(Input.help)
        for await input in Input.stream() {
            if case .quit = input { break }
            await attempt { try await handle(input) }
        }
        // End the session. Viewers no longer list its scenarios; the approval is kept for the next run.
        await attempt { try await telemetry.endSession() }
        await telemetry.shutdown()
    }

    private func handle(_ input: Input) async throws {
        switch input {
        case .agree: await telemetry.enableTelemetry()
        case .withdraw: await telemetry.disableTelemetry()
        case .override(let scenario, let isOn): try await telemetry.setScenarioEnabled(scenario, enabled: isOn)
        case .note(let text): notebook.add(text)
        case .sync: try notebook.sync()
        case .fetch(let url): say("status \(try await notebook.fetch(url))")
        case .unknown(let line): say("Unknown request \"\(line)\".\n\(Input.help)")
        case .quit: break
        }
    }

    /// Prints the state whenever it changes, as a SwiftUI view would do.
    private func showChanges() {
        withObservationTracking {
            let states = telemetry.scenarioStates.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value ? "on" : "off")" }
            let client = telemetry.settings.clientIdentifier.map { ", client \($0)" } ?? ""
            let text = "[telemetry \(telemetry.status)\(client): \(states.joined(separator: ", "))]"
            if text != shown { say(text) }
            shown = text
        } onChange: { [weak self] in
            Task { @MainActor in self?.showChanges() }
        }
    }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    /// Prints errors and continues.
    private func attempt(_ operation: () async throws -> Void) async {
        do { try await operation() } catch { say("! \(error.localizedDescription)") }
    }
}
