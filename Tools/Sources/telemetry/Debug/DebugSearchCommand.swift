import ArgumentParser
import Foundation
import ViewerKit

struct DebugSearchCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Show matching debug entries, oldest first; with --follow, also new ones.",
        usage: "telemetry debug search [options]",
        discussion: """
            Examples:
              telemetry debug search --correlation 3F2504E0-4F89-41D3-9A0C-0305E82C3301
              telemetry debug search --source ios --level error --follow
            """)

    @OptionGroup var relay: DebugLogOptions
    @OptionGroup var filter: DebugFilterOptions

    @Flag(name: .shortAndLong, help: "Keep printing new entries until interrupted.")
    var follow = false

    @Option(help: "Stop after this many entries.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func perform(_ console: Console) async throws {
        let listing = try filter.listing(of: relay, console)
        let limit = limit ?? .max
        if follow {
            try await SystemSignal.untilInterrupted { try await listing.follow(atMost: limit) }
        } else if try await listing.show(atMost: limit) == 0 {
            console.note("No debug entries match.")
        }
    }
}
