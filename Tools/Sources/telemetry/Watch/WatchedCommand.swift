import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Sends a command for a key, and describes the result.
struct WatchedCommand: Sendable {
    let command: TelemetryCommandRecord
    let location: StoreLocation

    func send(over transport: any TelemetryTransporting) async -> String {
        do {
            switch try await CommandSender(transport: transport).send(command, wait: .seconds(10)) {
            case .executed: return done
            case .failed(let reason): return "Client \(command.clientId) failed to execute the command: \(reason)"
            case .unanswered:
                return "Client \(command.clientId) did not answer. The command stays pending; check that the client is running."
            }
        } catch { return await location.failure(describing: error).message }
    }

    private var done: String {
        switch command.action {
        case .enable: "Client \(command.clientId) is approved."
        case .disable: "Client \(command.clientId) stopped its telemetry and deleted its data."
        case .deleteEvents: "Client \(command.clientId) deleted its events."
        case .enableScenario: "\(command.scenarioName ?? "") is enabled on client \(command.clientId)."
        case .disableScenario: "\(command.scenarioName ?? "") is disabled on client \(command.clientId)."
        case .pause, .resume, .resetScenario, .captureScenario:
            "Client \(command.clientId) executed \(command.action.rawValue)."
        }
    }
}
