import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Sends a command for a key, and describes the result.
struct WatchedCommand: Sendable {
    let command: TelemetryCommandRecord
    let location: StoreLocation
    /// The client's name.
    let client: String

    func send(over transport: any TelemetryTransporting) async -> String {
        do {
            switch try await CommandSender(transport: transport).send(command, wait: .seconds(10)) {
            case .executed(let executed): return Self.text(ofExecuted: executed, client: client)
            case .failed(let failed): return CommandText.failure(of: failed, client: client)
            case .unanswered:
                return "Client \(client) did not answer. The command stays pending; check that the client is running."
            }
        } catch { return await location.failure(describing: error).message }
    }

    /// What an executed command did.
    static func text(ofExecuted command: TelemetryCommandRecord, client: String) -> String {
        let scenario = command.scenarioName ?? ""
        return switch command.action {
        case .enable: "Client \(client) is approved."
        case .disable: "Client \(client) stopped its telemetry and deleted its data."
        case .deleteEvents: "Client \(client) deleted its events."
        // The result states what the client's policy cut.
        case .enableScenario:
            "\(scenario) is enabled on client \(client)\(command.result.map { ": \($0)." } ?? ", until it is disabled.")"
        case .disableScenario: "\(scenario) is disabled on client \(client)."
        case .captureScenario: "\(scenario) on client \(client): \(command.result ?? "captured")."
        case .pause, .resume, .resetScenario: "Client \(client) executed \(command.action.rawValue)."
        }
    }
}
