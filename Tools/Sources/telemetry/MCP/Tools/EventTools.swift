import Foundation
import ModelContext
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The tools that read stored events.
struct EventTools {
    let store: MCPStore

    var all: [MCPTool] { [query, readEvents] }

    private static let maximumRows = 1_000

    private var query: MCPTool {
        MCPTool(
            name: "query", title: "Ask a question",
            description: """
                Counts, groups and sorts stored events in the query language, where the events are: status:>=500 time:1h | stats \
                count(), quantile(0.95, duration) as p95 by scenario. Read the resource \(MCPResource.queryLanguage.uri) first.
                """,
            parameters: [
                MCPParameter(
                    "query", .text, "A filter, and pipes after it. Without pipes: the newest events.",
                    isRequired: true),
                MCPParameter("client", .text, MCPStore.clientHelp),
                MCPParameter("since", .text, "Only events since this date: 10m (ago), 2026-11-21T14:03:00Z."),
            ] + MCPEvents.parameters,
            result: MCPEvents.schema + [
                ("rows", .array(of: .object([], isOpen: true), "The rows of a table, an object by column.")),
                ("matched", .integer("The number of events that the filter selects.")),
                ("hasMore", .boolean("Whether there is more than was returned.")),
            ]
        ) { [store] arguments, _ in
            let query = try TelemetryQuery(arguments.text("query") ?? "")
            var filter = TelemetryEventFilter.all
            if let client = arguments.text("client") { filter.clientId = try await store.resolver.identifier(client) }
            if let since = arguments.text("since") { filter.since = try MCPStore.date(since) }
            var events = MCPEvents(arguments)
            let asked = query.hasPipes ? query : try TelemetryQuery("\(query) | sort by time desc | limit \(events.limit)")
            let result = try await store.transport.result(of: asked, matching: filter, now: .now)
            var left: Int
            if query.hasPipes {
                left = result.events.count - result.events.prefix { events.add($0) }.count
            } else {
                left = result.matched - result.events.count + events.add(earlier: result.events).earlier
            }
            let rows = events.prefix(of: QueryTable(result).objects.prefix(Self.maximumRows))
            left += result.rows.count - rows.count
            let words =
                result.columns.isEmpty
                ? "\(counted(result.matched, "event")) matched; \(events.count.grouped) are here."
                : "\(counted(result.matched, "event")) matched; \(counted(rows.count, "row")) of \(result.rows.count.grouped) are here."
            var object = events.result(words, isNarrow: true)
            object.add("rows", rows)
            object.add("matched", result.matched)
            object.add("hasMore", left > 0)
            return MCPResult(object)
        }
    }

    private var readEvents: MCPTool {
        MCPTool(
            name: "read_events", title: "Read events",
            description: """
                Reads stored events, the oldest first: the newest ones, or with a cursor those that arrived after it. To go on, pass \
                the cursor of the result.
                """,
            parameters: MCPStore.selection + [
                MCPParameter("cursor", .text, "The cursor of an earlier result, after which to read."),
                MCPParameter(
                    "from", .choice(["newest", "oldest"]),
                    "Without a cursor: the newest events, or all from the oldest one on. Default: newest."),
            ] + MCPEvents.parameters,
            result: MCPEvents.schema + [
                ("cursor", .string("The position after these events.")),
                ("hasMore", .boolean("Whether there are more events after the cursor.")),
                ("hasOlder", .boolean("Whether there are older events that match.")),
            ]
        ) { [store] arguments, _ in
            let (filter, isNarrow) = try await store.filter(arguments)
            var events = MCPEvents(arguments)
            guard arguments.text("cursor") != nil || arguments.text("from") == "oldest" else {
                let page = try await store.transport.events(matching: filter, before: nil, limit: events.limit)
                let left = events.add(earlier: page.events.reversed()).earlier
                var result = events.result("The newest \(counted(events.count, "matching event")).", isNarrow: isNarrow)
                result.add("cursor", page.end.rawValue)
                result.add("hasMore", false)
                result.add("hasOlder", page.hasMore || left > 0)
                return MCPResult(result)
            }
            let start = arguments.text("cursor").map(TelemetryCursor.init(rawValue:))
            let page = try await store.transport.events(matching: filter, after: start, limit: events.limit)
            let added = page.events.prefix { events.add($0) }
            let isWhole = added.count == page.events.count
            let end = isWhole ? page.cursor : try await store.cursor(after: start, matching: filter, through: added)
            guard let end else { throw ToolFailure(.failed, "Events were deleted meanwhile. Call it again.") }
            let hasMore = page.hasMore || !isWhole
            var result = events.result(
                "\(counted(events.count, "event")); \(hasMore ? "there are more" : "no more until now").",
                isNarrow: isNarrow,
                skipped: page.skippedEventCount)
            result.add("cursor", end.rawValue)
            result.add("hasMore", hasMore)
            return MCPResult(result)
        }
    }
}

extension MCPStore {
    /// The cursor after the first events after another; nil if some have been deleted since they were read.
    func cursor(
        after start: TelemetryCursor?, matching filter: TelemetryEventFilter, through events: ArraySlice<TelemetryEvent>
    ) async throws -> TelemetryCursor? {
        let page = try await transport.events(matching: filter, after: start, limit: events.count)
        return page.events.last?.eventId == events.last?.eventId ? page.cursor : nil
    }
}
