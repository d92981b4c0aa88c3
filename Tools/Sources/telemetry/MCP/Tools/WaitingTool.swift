import ModelContext
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The tool that waits for events.
struct WaitingTool {
    private static let progressInterval = 5.0

    let store: MCPStore

    var tool: MCPTool {
        MCPTool(
            name: "wait_for_events", title: "Wait for events",
            description: """
                Waits until events arrive that match, or a time is over, and returns them. Without a cursor it waits for events that \
                arrive from now on.
                """,
            parameters: MCPStore.selection + [
                MCPParameter("cursor", .text, "The cursor of an earlier result, after which to read."),
                MCPParameter(
                    "count", .integer(1...1_000),
                    "The number of matching events to wait for, as far as there is room for them. Default: 1."),
                MCPParameter("timeout", .duration(0.1...600), "How long to wait. Default: 60, at most 600."),
            ] + MCPEvents.parameters,
            result: MCPEvents.schema + [
                ("cursor", .string("The position after these events.")),
                ("isTimeOver", .boolean("Whether the time was over before enough events had arrived.")),
            ], waits: true
        ) { [self] arguments, progress in
            let (filter, isNarrow) = try await store.filter(arguments)
            let start =
                if let cursor = arguments.text("cursor") {
                    TelemetryCursor(rawValue: cursor)
                } else {
                    try await store.transport.events(matching: filter, before: nil, limit: 1).end
                }
            let events = MCPEvents(arguments)
            let wanted = min(arguments.integer("count") ?? 1, events.limit)
            let timeout = arguments.seconds("timeout") ?? 60
            let arrived = try await withThrowingTaskGroup(of: Arrived?.self) { group in
                group.addTask { try await read(after: start, matching: filter, until: wanted, events) }
                group.addTask {
                    try await wait(timeout, progress)
                    return nil
                }
                var arrived = try await group.next().flatMap(\.self)
                group.cancelAll()
                while arrived == nil, let next = try await group.next() { arrived = next }
                return arrived
            }
            guard var arrived else { throw CancellationError() }
            if !arrived.part.isEmpty {
                // If some were deleted meanwhile, events may be returned again, and none is lost.
                arrived.cursor =
                    try await store.cursor(after: arrived.cursor, matching: filter, through: arrived.part) ?? arrived.cursor
            }
            let words = "\(counted(arrived.events.count, "matching event")) arrived"
            var result = arrived.events.result(
                arrived.isTimeOver ? "The time is over: \(words)." : "\(words).", isNarrow: isNarrow, skipped: arrived.skipped)
            result.add("cursor", arrived.cursor.rawValue)
            result.add("isTimeOver", arrived.isTimeOver)
            return MCPResult(result)
        }
    }

    private struct Arrived: Sendable {
        var events: MCPEvents
        /// The position after the last page of which all events were added.
        var cursor: TelemetryCursor
        /// The events of the page after it that were added.
        var part: ArraySlice<TelemetryEvent> = []
        var skipped = 0
        var isTimeOver = true
    }

    /// Reads until enough events match or there is no room for more, or until the task is cancelled.
    private func read(
        after start: TelemetryCursor, matching filter: TelemetryEventFilter, until wanted: Int, _ events: MCPEvents
    ) async throws -> Arrived {
        var arrived = Arrived(events: events, cursor: start)
        do {
            try await EventReader(transport: store.transport, filter: filter).read(after: start, following: true) { page in
                arrived.skipped += page.skippedEventCount
                let added = page.events.prefix { arrived.events.count < wanted && arrived.events.add($0) }
                let isWhole = added.count == page.events.count
                if isWhole { arrived.cursor = page.cursor } else { arrived.part = added }
                arrived.isTimeOver = isWhole && arrived.events.count < wanted
                return arrived.isTimeOver
            }
        } catch is CancellationError {}
        return arrived
    }

    /// Returns after this number of seconds.
    private func wait(_ seconds: Double, _ progress: MCPProgress) async throws {
        var passed = 0.0
        while passed < seconds {
            let step = min(Self.progressInterval, seconds - passed)
            try await Task.sleep(for: .seconds(step))
            passed += step
            await progress.report(passed, seconds, "waiting for events")
        }
    }
}
