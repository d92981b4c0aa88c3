import ArgumentParser
import ViewerKit

struct ContextRemoveCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a context. Its store is not changed.",
        usage: "telemetry context remove NAME",
        discussion: """
            A token that was stored with --token-stdin is removed, too; other token files are not. To invalidate the token, \
            revoke it at the relay.

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
