import Foundation
import ModelContext
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The tools that show sessions: those that ended without a shutdown, and the events around one.
struct SessionTools {
    /// In bytes.
    private static let backtraceLimit = 4_000

    let store: MCPStore

    var all: [MCPTool] { [crashes, session] }

    private var crashes: MCPTool {
        MCPTool(
            name: "crashes", title: "List crashes",
            description: """
                Lists the sessions that ended without a shutdown, the newest first: when, how (a signal, killed, a restart), the app's \
                version and the backtrace. For what happened before, call session with the session's identifier.
                """,
            parameters: [
                MCPParameter("client", .text, MCPStore.clientHelp),
                MCPParameter("since", .text, "Only reports since this date: 1h (ago), 7d."),
                MCPParameter("limit", .integer(1...100), "The maximum number of sessions. Default: 10."),
                MCPEvents.bytes,
            ],
            result: [
                ("summary", .string("How many there are.")), ("notice", .string("How to treat the crashes.")),
                ("crashes", .array(of: .object([], isOpen: true), "A session an object.")),
            ]
        ) { [store] arguments, _ in
            let (filter, _) = try await store.filter(arguments)
            let result = try await store.transport.result(
                of: SessionEndList.query(limit: arguments.integer("limit") ?? 10), matching: filter, now: .now)
            let ends = MCPEvents(arguments).prefix(of: result.events.compactMap(SessionEnd.init).map(Self.json))
            var object = JSONLine()
            object.add(
                "summary", "\(counted(result.matched, "session")) ended without a shutdown; \(ends.count.grouped) are here.")
            object.add("notice", MCPEvents.notice)
            object.add("crashes", ends)
            return MCPResult(object)
        }
    }

    private static func json(_ end: SessionEnd) -> JSONLine {
        var json = JSONLine()
        json.add("session", end.session)
        json.add(TelemetrySchema.Field.clientId.rawValue, end.report.clientId)
        json.add("lastActive", end.date)
        json.add("end", end.end)
        json.add("signal", end.signal)
        json.add("appVersion", end.appVersion)
        json.add("backtrace", end.backtrace.map { String(decoding: $0.utf8.prefix(backtraceLimit), as: UTF8.self) })
        return json
    }

    private var session: MCPTool {
        let count = MCPParameter.Kind.integer(0...500)
        return MCPTool(
            name: "session", title: "See what came before and after",
            description: """
                Shows the events of one session in their order: those before and after an event, or the last ones of a session. Give the \
                identifier of an event or of a session.
                """,
            parameters: [
                MCPParameter("event", .text, "The event's eventId."),
                MCPParameter("session", .text, "The session's identifier; its last events are shown."),
                MCPParameter("before", count, "The number of events before it. Default: 30."),
                MCPParameter("after", count, "The number of events after it. Default: 30."),
                MCPEvents.bytes,
            ],
            result: MCPEvents.schema + [("session", .string("The session's identifier."))]
        ) { [store] arguments, _ in
            let before = arguments.integer("before") ?? 30
            let after = arguments.integer("after") ?? 30
            var filter = TelemetryEventFilter.all
            var middle: [TelemetryEvent] = []
            if let event = arguments.text("event") {
                let found = try await store.transport.result(
                    of: TelemetryQuery("id:=\(EventField.quoted(event)) | sort by time | limit 1"), matching: .all, now: .now)
                guard let event = found.events.first else {
                    throw ToolFailure(.notFound, "There is no event \"\(event.visible.fitted(to: 80))\".")
                }
                middle = [event]
                (filter.clientId, filter.sessionId) = (event.clientId, event.sessionId)
            } else if let session = arguments.text("session") {
                filter.sessionId = session
            } else {
                throw ToolFailure(.data, "Give the argument event or session.")
            }
            func events(_ condition: String, newestFirst: Bool, _ count: Int) async throws -> [TelemetryEvent] {
                guard count > 0 else { return [] }
                let query = try TelemetryQuery("\(condition)| sort by sequence\(newestFirst ? " desc" : "") | limit \(count)")
                return try await store.transport.result(of: query, matching: filter, now: .now).events
            }
            let number = middle.first?.sequence
            let earlier = try await events(number.map { "sequence:<\($0) " } ?? "", newestFirst: true, before)
            var later: [TelemetryEvent] = []
            if let number { later = try await events("sequence:>\(number) ", newestFirst: false, after) }
            var shown = MCPEvents(arguments, limit: before + after + 1)
            let left = shown.add(middle, earlier: earlier, later: later)
            guard shown.count > 0 || before == 0 else { throw ToolFailure(.notFound, "There are no events of this session.") }
            let without =
                left == (0, 0) ? "" : "; \(left.earlier.grouped) before and \(left.later.grouped) after them had no room"
            var result = shown.result("\(counted(shown.count, "event")) of the session\(without).", isNarrow: false)
            result.add("session", filter.sessionId)
            return MCPResult(result)
        }
    }
}
