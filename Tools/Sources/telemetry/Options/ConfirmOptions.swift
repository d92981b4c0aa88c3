import ArgumentParser
import Foundation
import ViewerKit

/// How a command that destroys asks first.
struct ConfirmOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask first.")
    var yes = false

    @Flag(name: .customLong("dry-run"), help: "Only count what would be deleted.")
    var dryRun = false

    /// Whether to go on; asks where a person can answer.
    /// - Parameter what: What would be done, as a sentence without its end.
    func allows(_ what: String, _ console: Console) throws -> Bool {
        if dryRun {
            console.line("Would \(what).")
            return false
        }
        if yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ToolFailure(
                .failed, "This would \(what). Nobody is here to be asked: repeat with --yes, or look with --dry-run.")
        }
        console.ask("This will \(what). Go on? [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        guard ["y", "yes"].contains(answer) else {
            console.line("Nothing was changed.")
            return false
        }
        return true
    }
}
