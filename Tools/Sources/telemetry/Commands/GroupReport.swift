import TelemetryModels
import ViewerKit

/// Reports the results of a command that was sent to several clients.
struct GroupReport {
    /// The number of failures that are printed in full.
    private static let maximumFailures = 20

    let results: CommandSender.Results
    /// A sentence on a number of clients that have executed the command.
    let phrase: (Int) -> String
    let aliases: ClientAliases
    let waiting: WaitOptions
    /// Why commands were not sent.
    let sendingFailure: ToolFailure?
    /// Why results could not be read.
    let readingFailure: ToolFailure?

    /// - Returns: Whether all clients have executed the command; false if the command does not wait.
    /// - Throws: `ToolFailure` if the command was not sent to a client, or a client did not execute it or did not answer.
    func show(_ console: Console) throws -> Bool {
        let sent = results.sent
        let all = sent.count + results.unsent.count
        guard try waiting.duration() != nil else {
            console.line(
                "Sent to \(counted(sent.count, "client")). A client executes it the next time it checks for commands; see: "
                    + "telemetry commands")
            guard !results.unsent.isEmpty else { return false }
            noteUnsent(console)
            throw ToolFailure(
                .failed, "The command was not sent to \(results.unsent.count.grouped) of \(counted(all, "client")).")
        }
        if !results.executed.isEmpty {
            console.line("\(console.style.green("✓")) \(phrase(results.executed.count))\(details)")
        }
        for command in results.failed.prefix(Self.maximumFailures) {
            console.note(CommandText.failure(of: command, client: aliases.label(of: command.clientId).visible).visible)
        }
        if results.failed.count > Self.maximumFailures {
            console.note("… and \((results.failed.count - Self.maximumFailures).grouped) more")
        }
        if !results.removed.isEmpty {
            console.note("Removed from the store before an answer: the commands to \(names(results.removed)).")
        }
        if !results.unanswered.isEmpty { noteUnanswered(console) }
        if !results.unsent.isEmpty { noteUnsent(console) }
        guard results.executed.count < all else { return true }
        let count = all - results.executed.count
        throw ToolFailure(
            results.failed.isEmpty && results.removed.isEmpty && results.unsent.isEmpty ? .notYet : .failed,
            "\(count.grouped) of \(counted(all, "client")) did not execute the command.")
    }

    private func noteUnanswered(_ console: Console) {
        let names = names(results.unanswered)
        guard let readingFailure else {
            return console.note(
                "No answer within \(waiting.wait): \(names). Their commands stay pending; see: telemetry commands --pending")
        }
        console.note(
            "The answers of these clients could not be read: \(names). They may have executed the command; see: "
                + "telemetry commands")
        console.note("Reason: \(readingFailure.message.visible)")
    }

    private func noteUnsent(_ console: Console) {
        console.note("Sent to \(counted(results.sent.count, "client")): \(names(results.sent)).")
        console.note("Not sent to \(counted(results.unsent.count, "client")): \(names(results.unsent)).")
        if let sendingFailure { console.note("Reason: \(sendingFailure.message.visible)") }
    }

    /// The distinct remarks of the clients, such as a shorter lease.
    private var details: String {
        let remarks = Dictionary(grouping: results.executed.compactMap(\.result)) { $0 }
        return remarks.sorted { $0.key < $1.key }.map { " \($0.key.visible) (\(counted($0.value.count, "client")))." }.joined()
    }

    private func names(_ commands: [TelemetryCommandRecord]) -> String {
        commands.map { aliases.label(of: $0.clientId) }.nameList
    }
}
