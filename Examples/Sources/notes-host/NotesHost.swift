import Foundation
import Observation
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// A small program with telemetry in it, to copy from. All that it needs of LiveTelemetry is in this file.
///
///     notes-host STORE NOTES
///
/// The directory STORE is where viewers look; without one there is `telemetry-store` in the system's temporary directory. The
/// notes go to the file NOTES, `notes.txt` where none is named.
@main
@MainActor
final class NotesHost {
    private let telemetry: TelemetryLifecycleService
    private var notebook: Notebook
    private var shown = ""

    init(store: URL, notes: URL) throws {
        // Where client and viewers meet, and the service that is all a host talks to.
        let transport = try FileTelemetryTransport(directory: store)
        // A viewer sees an event within a second; the default, thirty, is kinder to a battery.
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
        // First thing: what the user once agreed to is restored. Where nobody ever did, this asks the store nothing.
        await telemetry.startup()
        // Right after it: what can be looked at. States of an earlier run come back.
        await attempt { try await telemetry.registerScenarios(ExampleScenario.allCases.map(\.rawValue)) }
        showChanges()
        say(Input.help)
        for await input in Input.stream() {
            if case .quit = input { break }
            await attempt { try await handle(input) }
        }
        // The end of the session: its scenarios disappear from the viewers' lists, its approval stays for the next time.
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
        case .unknown(let line): say("\"\(line)\" is nothing that this program knows.\n\(Input.help)")
        case .quit: break
        }
    }

    /// Shows the state whenever the service changes it, as a view would by itself.
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

    /// The program goes on whatever telemetry cannot do.
    private func attempt(_ operation: () async throws -> Void) async {
        do { try await operation() } catch { say("! \(error.localizedDescription)") }
    }
}
