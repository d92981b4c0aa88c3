import ArgumentParser
import Foundation
import ViewerKit

/// The options of a command that asks for confirmation before it deletes, or before it changes several clients.
struct ConfirmOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(name: .customLong("dry-run"), help: "Only print what would be done.")
    var dryRun = false

    /// Whether any of these options is given.
    var isGiven: Bool { yes || dryRun }

    /// Whether to proceed. Asks on a terminal.
    /// - Parameter what: The action, as a verb phrase such as "delete 3 events".
    func allows(_ what: String, _ console: Console) throws -> Bool {
        if dryRun {
            console.line("Would \(what).")
            return false
        }
        if yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ToolFailure(
                .failed, "This would \(what). Standard input is not interactive; pass --yes to proceed or --dry-run to preview.")
        }
        console.ask("This will \(what). Continue? [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            console.line("Nothing changed.")
            return false
        }
        return true
    }
}
