import Foundation
import ViewerKit

/// Prints a relay's stored entries page by page, and then new ones.
struct DebugListing: Sendable {
    /// The number of seconds that the relay waits for an entry before it returns an empty page.
    private static let wait = 25
    private static let pageSize = 500

    let client: DebugLogClient
    let items: [URLQueryItem]
    let asJSON: Bool
    let console: Console

    /// Prints the stored entries, oldest first.
    /// - Returns: The number of printed entries.
    func show(atMost limit: Int) async throws -> Int {
        var shown = 0
        var cursor: String?
        while shown < limit {
            let page = try await client.page(items, cursor: cursor, limit: min(limit - shown, Self.pageSize))
            shown += show(page.entries)
            cursor = page.cursor
            guard page.hasMore else { break }
        }
        return shown
    }

    /// Prints the newest of the stored entries.
    /// - Returns: The cursor for the entries that arrive later.
    func showLast(_ count: Int) async throws -> String {
        let page = try await client.page(items, newestFirst: true, limit: max(1, count))
        show(page.entries.prefix(count).reversed())
        return page.newest
    }

    /// Prints the entries after a cursor, or all if it is nil, and then new ones until the task is cancelled.
    ///
    /// If the relay becomes unreachable after its first response, retries until it is reachable again, and continues without a gap.
    func follow(after start: String? = nil, atMost limit: Int = .max) async throws {
        var cursor = start
        var shown = 0
        var isUnreachable = false
        while shown < limit {
            do {
                let page = try await client.page(
                    items, cursor: cursor, limit: min(limit - shown, Self.pageSize), wait: cursor == nil ? nil : Self.wait)
                if isUnreachable { console.note("The relay is reachable again.") }
                isUnreachable = false
                shown += show(page.entries)
                if page.isOlder(than: cursor) {
                    console.note("The relay lost its entries; starting from the beginning.")
                    cursor = "0"
                } else {
                    cursor = page.cursor
                }
            } catch let failure as ToolFailure {
                guard failure.code == .unavailable, cursor != nil else { throw failure }
                if !isUnreachable { console.note("telemetry: \(failure.message.visible) Retrying.") }
                isUnreachable = true
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    @discardableResult
    private func show(_ entries: some Collection<DebugLogLine>) -> Int {
        for entry in entries { console.line(asJSON ? entry.json : entry.text) }
        return entries.count
    }
}
