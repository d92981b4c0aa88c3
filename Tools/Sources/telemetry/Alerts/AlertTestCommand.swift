import ArgumentParser
import ViewerKit

struct AlertTestCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Let the relay send a message of an alert, without events.",
        usage: "telemetry alert test NAME [options]",
        discussion: "Example: telemetry alert test errors --relay https://relay.example.com")

    @OptionGroup var store: StoreOptions

    @Argument(help: "The name of the alert.")
    var name: String

    func perform(_ console: Console) async throws {
        try await store.alerts().test(name)
        console.line("\(console.style.green("✓")) The relay sends a message of \(name.visible).")
    }
}
