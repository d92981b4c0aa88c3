import ArgumentParser
import Foundation
import ViewerKit

struct DebugSearchCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Show the debug entries that match, oldest first, and with --follow those that arrive.",
        discussion: """
            Examples:
              telemetry debug search --correlation 3F2504E0-4F89-41D3-9A0C-0305E82C3301
              telemetry debug search --source ios --level error --follow
            """)

    @OptionGroup var relay: RelayOptions
    @OptionGroup var filter: DebugFilterOptions

    @Flag(name: .shortAndLong, help: "Go on with what arrives, until interrupted.")
    var follow = false

    @Option(help: "Stop after this many entries.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func perform(_ console: Console) async throws {
        let client = try relay.client()
        var remaining = limit ?? .max
        var cursor: String?
        var isEmpty = true
        while remaining > 0 {
            let size = min(remaining, 500)
            let page = try await client.page(filter.items, cursor: cursor, limit: size)
            for entry in page.entries { console.line(filter.text(of: entry)) }
            isEmpty = isEmpty && page.entries.isEmpty
            remaining -= page.entries.count
            cursor = page.cursor
            guard !page.hasMore else { continue }
            guard follow else { break }
            try await Task.sleep(for: .seconds(1))
        }
        if isEmpty { console.note("No debug entries match.") }
    }
}
