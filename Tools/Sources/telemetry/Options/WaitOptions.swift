import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// How long a command waits for the client's answer, and how it reports the answer.
struct WaitOptions: ParsableArguments {
    @Option(help: "How long to wait for the client's answer: 500ms, 10s, 2m.")
    var wait = "10s"

    @Flag(name: .customLong("no-wait"), help: "Send the command and do not wait for the answer.")
    var noWait = false

    @OptionGroup var issuer: IssuerOptions

    /// How long to wait; nil does not wait.
    func duration() throws -> Duration? {
        if noWait { return nil }
        guard let seconds = DurationText.seconds(wait) else {
            throw ValidationError("\"\(wait)\" is not a valid duration. Examples: 500ms, 10s, 2m.")
        }
        return .milliseconds(Int64(seconds * 1_000))
    }

    func validate() throws { _ = try duration() }

    /// Sends the command with the issuer's name, and prints its result.
    /// - Parameter done: The sentence to print once the command was executed.
    /// - Returns: Whether the client has executed the command; false if the command does not wait.
    @discardableResult
    func send(
        _ command: TelemetryCommandRecord, over transport: any TelemetryTransporting, to console: Console, done: String
    ) async throws -> Bool {
        let start = ContinuousClock.now
        let client = command.clientId.visible
        let duration = try duration()
        switch try await CommandSender(transport: transport).send(command.issued(by: issuer.name), wait: duration) {
        case .executed(let executed):
            let seconds = start.duration(to: .now) / .seconds(1)
            let result = executed.result.map { " \($0.visible)." } ?? ""
            console.line(
                "\(console.style.green("✓")) \(done)\(result) (answered in \(DurationText.string(seconds: seconds)))")
            return true
        case .failed(let failed): throw ToolFailure(.failed, CommandText.failure(of: failed, client: client))
        case .unanswered where duration == nil:
            console.line(
                "Sent to client \(client), which executes it the next time it checks for commands; see: telemetry commands")
            return false
        case .unanswered:
            throw ToolFailure(
                .notYet, "Client \(client) did not answer within \(wait). The command stays pending; see: telemetry commands"
            )
        }
    }
}
