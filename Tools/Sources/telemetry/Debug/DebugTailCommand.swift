import ArgumentParser
import Foundation
import ViewerKit

struct DebugTailCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show the newest debug entries and go on with what arrives, until interrupted.")

    @OptionGroup var relay: RelayOptions
    @OptionGroup var filter: DebugFilterOptions

    @Option(help: "So many of those that are stored; at most 1000.")
    var last = 10

    func validate() throws {
        guard (0...1000).contains(last) else { throw ValidationError("--last must be from 0 to 1000.") }
    }

    func perform(_ console: Console) async throws {
        let client = try relay.client()
        let newest = try await client.page(filter.items, newestFirst: true, limit: max(1, last))
        for entry in newest.entries.prefix(last).reversed() { console.line(filter.text(of: entry)) }
        var cursor = newest.newest
        while true {
            let page = try await client.page(filter.items, cursor: cursor, limit: 500)
            for entry in page.entries { console.line(filter.text(of: entry)) }
            cursor = page.cursor
            if !page.hasMore { try await Task.sleep(for: .seconds(1)) }
        }
    }
}
