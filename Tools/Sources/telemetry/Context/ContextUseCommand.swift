import ArgumentParser
import ViewerKit

struct ContextUseCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "use", abstract: "Make a context the current one.", usage: "telemetry context use NAME",
        discussion: "Example: telemetry context use prod")

    @Argument(help: "The context.", completion: Completions.contexts)
    var name: String

    func perform(_ console: Console) async throws {
        try ContextStore.own.use(name)
        console.line("\(console.style.green("✓")) The current context is \(name.visible).")
    }
}
