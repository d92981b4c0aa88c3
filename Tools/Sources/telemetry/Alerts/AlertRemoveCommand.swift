import ArgumentParser
import ViewerKit

struct AlertRemoveCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an alert. Messages that it sent already arrive.",
        usage: "telemetry alert remove NAME [options]",
        discussion: "Example: telemetry alert remove errors --relay https://relay.example.com")

    @OptionGroup var store: StoreOptions

    @Argument(help: "The name of the alert.")
    var name: String

    func perform(_ console: Console) async throws {
        try await store.alerts().remove(name)
        console.line("\(console.style.green("✓")) Removed alert \(name.visible).")
    }
}
