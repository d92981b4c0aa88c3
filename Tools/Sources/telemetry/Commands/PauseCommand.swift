import ArgumentParser
import TelemetryModels
import ViewerKit

struct PauseCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop a client from recording and sending until it is resumed.",
        usage: """
            telemetry pause CLIENT [options]
            telemetry pause --all | --where CONDITION ... [options]
            """,
        discussion: """
            Unsent events stay on the client. Its approval, scenarios and stored events do not change.

            Example: telemetry pause k7wq --directory /srv/telemetry
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var target: ClientTargetOptions

    func perform(_ console: Console) async throws {
        try await target.send(.pause, in: store, console) { "Client \($0) is paused." }
    }
}

struct ResumeCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused client, unless the app itself paused it.",
        usage: """
            telemetry resume CLIENT [options]
            telemetry resume --all | --where CONDITION ... [options]
            """,
        discussion: "Example: telemetry resume k7wq --directory /srv/telemetry")

    @OptionGroup var store: StoreOptions
    @OptionGroup var target: ClientTargetOptions

    func perform(_ console: Console) async throws {
        try await target.send(.resume, in: store, console) { "Client \($0) is resumed." }
    }
}
