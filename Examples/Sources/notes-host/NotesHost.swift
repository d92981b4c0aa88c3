import Foundation
import Observation
import TelemetryHTTP
import TelemetryLifecycle
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// A small program with telemetry, as a template. Everything that it needs from LiveTelemetry is in this file.
@MainActor
final class NotesHost {
    private let telemetry: TelemetryLifecycleService
    private var notebook: Notebook
    private var shown = ""

    init(store: Store, notes: URL) throws {
        // The service is the only object that a host uses. A viewer sees an event within a second; the default of thirty seconds
        // saves energy.
        telemetry = TelemetryLifecycleService(
            transport: try Self.transport(for: store), configuration: .init(loggerConfiguration: .init(flushInterval: 1)))
        notebook = Notebook(file: notes, logger: telemetry.telemetryLogger)
    }

    /// The transport that client and viewers share.
    private static func transport(for store: Store) throws -> any TelemetryTransporting {
        switch store {
        case .directory(let directory): try FileTelemetryTransport(directory: directory)
        case .relay(let url, let token, let secrets):
            // The secret in this directory proves that this installation's data are its own.
            HTTPTelemetryTransport(
                url: url, credentials: .host(token: token, secrets: FileTelemetrySecretStore(directory: secrets)))
        }
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
            if case .end = input {
                // Delete this session's scenarios and events from the store. The approval is kept for the next run.
                await attempt { try await telemetry.endSession() }
                break
            }
            await attempt { try await handle(input) }
        }
        // Deliver what was logged. Everything stays in the store.
        await telemetry.shutdown()
    }

    private func handle(_ input: Input) async throws {
        switch input {
        case .agree: await telemetry.enableTelemetry()
        case .withdraw: await telemetry.disableTelemetry()
        case .pause: await telemetry.pauseTelemetry()
        case .resume: await telemetry.resumeTelemetry()
        case .overview: say(telemetry.overview.text)
        case .override(let scenario, let isOn): try await telemetry.setScenarioEnabled(scenario, enabled: isOn)
        case .permission(let scenario, let isAllowed):
            await telemetry.setScenarioAllowed(scenario, allowed: isAllowed)
        case .note(let text): notebook.add(text)
        case .sync: try notebook.sync()
        case .fetch(let url): say("status \(try await notebook.fetch(url))")
        case .unknown(let line): say("Unknown request \"\(line)\".\n\(Input.help)")
        case .end, .quit: break
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

    private func say(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) }

    /// Prints errors and continues.
    private func attempt(_ operation: () async throws -> Void) async {
        do { try await operation() } catch { say("! \(error.localizedDescription)") }
    }
}
