import ArgumentParser
import ViewerKit

struct ContextRemoveCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a context. Its store stays as it is.",
        usage: "telemetry context remove NAME",
        discussion: """
            A token that was stored with --token-stdin is removed, too; a token file of your own is not. To end the token \
            itself, revoke it at the relay.

            Example: telemetry context remove prod
            """)

    @Argument(help: "The context.", completion: Completions.contexts)
    var name: String

    func perform(_ console: Console) async throws {
        let wasCurrent = try ContextStore.own.remove(name)
        console.line("\(console.style.green("✓")) Removed the context \(name.visible).")
        if wasCurrent { console.note("It was the current context. Choose another: telemetry context use NAME") }
    }
}
