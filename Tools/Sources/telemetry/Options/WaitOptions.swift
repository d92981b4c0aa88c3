import ArgumentParser
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// How long a command waits for the client's answer, and how it tells the answer.
struct WaitOptions: ParsableArguments {
    @Option(help: "How long to wait for the client's answer: 500ms, 10s, 2m.")
    var wait = "10s"

    @Flag(name: .customLong("no-wait"), help: "Leave the command for the client and do not wait.")
    var noWait = false

    private func duration() throws -> Duration? {
        if noWait { return nil }
        guard let seconds = DurationText.seconds(wait) else {
            throw ValidationError("\"\(wait)\" is no span of time; write for example 500ms, 10s or 2m.")
        }
        return .milliseconds(Int64(seconds * 1_000))
    }

    func validate() throws { _ = try duration() }

    /// Sends the command, and says what became of it.
    /// - Parameter done: What is so once the command was executed.
    func send(
        _ command: TelemetryCommandRecord, over transport: any TelemetryTransporting, to console: Console, done: String
    ) async throws {
        let start = ContinuousClock.now
        let client = command.clientId.visible
        let duration = try duration()
        switch try await CommandSender(transport: transport).send(command, wait: duration) {
        case .executed:
            let seconds = start.duration(to: .now) / .seconds(1)
            console.line("\(console.style.green("✓")) \(done) (answered in \(DurationText.string(seconds: seconds)))")
        case .failed(let reason):
            throw ToolFailure(.failed, "The client \(client) could not do it: \(reason)")
        case .unanswered where duration == nil:
            console.line("Sent. The client \(client) does it when it next looks; see: telemetry commands")
        case .unanswered:
            throw ToolFailure(
                .notYet, "The client \(client) has not answered within \(wait). The command waits for it; see: telemetry commands"
            )
        }
    }
}
