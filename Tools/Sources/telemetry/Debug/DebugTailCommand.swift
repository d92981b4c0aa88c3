import ArgumentParser
import Foundation
import ViewerKit

struct DebugTailCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show the newest debug entries, and keep printing new ones until interrupted.",
        usage: "telemetry debug tail [options]",
        discussion: "Example: telemetry debug tail --source backend --level warn --last 50")

    @OptionGroup var relay: DebugLogOptions
    @OptionGroup var filter: DebugFilterOptions

    @Option(help: "The number of stored entries to show, at most 1000.")
    var last = 10

    func validate() throws {
        guard (0...1000).contains(last) else { throw ValidationError("--last must be from 0 to 1000.") }
    }

    func perform(_ console: Console) async throws {
        let listing = try filter.listing(of: relay, console)
        let last = last
        try await SystemSignal.untilInterrupted { try await listing.follow(after: try await listing.showLast(last)) }
    }
}
