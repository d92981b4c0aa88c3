import Foundation
import ViewerKit

/// Shows what a relay keeps, page by page, and then what arrives.
struct DebugListing: Sendable {
    /// So many seconds the relay waits for an entry before it answers that there is none.
    private static let wait = 25
    private static let pageSize = 500

    let client: RelayClient
    let items: [URLQueryItem]
    let asJSON: Bool
    let console: Console

    /// Shows the stored entries, oldest first.
    /// - Returns: how many it showed.
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

    /// Shows the newest of the stored entries.
    /// - Returns: where those begin that arrive later.
    func showLast(_ count: Int) async throws -> String {
        let page = try await client.page(items, newestFirst: true, limit: max(1, count))
        show(page.entries.prefix(count).reversed())
        return page.newest
    }

    /// Shows what is stored behind a cursor, from the beginning where it is nil, and what arrives, until the task is cancelled.
    ///
    /// A relay that is gone after its first answer is asked again until it is back: what arrived in between is shown then.
    func follow(after start: String? = nil, atMost limit: Int = .max) async throws {
        var cursor = start
        var shown = 0
        var isAway = false
        while shown < limit {
            do {
                let page = try await client.page(
                    items, cursor: cursor, limit: min(limit - shown, Self.pageSize), wait: cursor == nil ? nil : Self.wait)
                if isAway { console.note("The relay answers again.") }
                isAway = false
                shown += show(page.entries)
                if page.isOlder(than: cursor) {
                    console.note("The relay has begun anew; this is what it has from its beginning.")
                    cursor = "0"
                } else {
                    cursor = page.cursor
                }
            } catch let failure as ToolFailure {
                guard failure.code == .unavailable, cursor != nil else { throw failure }
                if !isAway { console.note("telemetry: \(failure.message.visible) Trying again.") }
                isAway = true
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
