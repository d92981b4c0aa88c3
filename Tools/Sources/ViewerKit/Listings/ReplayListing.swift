public import TelemetryModels

/// Shows what clients would have done because of a trigger.
public struct ReplayListing {
    private let replays: [(clientId: String, client: String, result: TriggerReplay.Result)]
    private let trigger: TelemetryTrigger
    private let time = TimeText()

    public init(
        _ replays: [(clientId: String, result: TriggerReplay.Result)], of trigger: TelemetryTrigger, aliases: ClientAliases
    ) {
        self.replays = replays.map { ($0.clientId, aliases.label(of: $0.clientId), $0.result) }
        self.trigger = trigger
    }

    /// The actions by time; nil if there are none.
    public var actions: Table? {
        let actions = replays.flatMap { replay in replay.result.actions.map { (client: replay.client, action: $0) } }
            .sorted { $0.action.date < $1.action.date }
        guard !actions.isEmpty else { return nil }
        var table = Table([.whole("acts at", priority: 9), .text("client", priority: 8), .number("events", priority: 7)])
        for (client, action) in actions {
            table.add([.init(time.dayAndTime(action.date)), .init(client), .init(action.events.grouped)])
        }
        return table
    }

    /// One object for each client.
    public var objects: [JSONLine] {
        replays.map { clientId, _, result in
            var object = JSONLine()
            object.add(TelemetrySchema.Field.clientId.rawValue, clientId)
            object.add("events", result.events)
            object.add("matched", result.matched)
            object.add("actions", result.actions.map { self.object(for: $0) })
            object.add("heldBack", result.heldBack)
            object.add("largestCount", result.largestCount)
            object.add("failures", result.failures.map { self.object(for: $0.condition, events: $0.events) })
            object.add("nearestMiss", result.nearestMiss.map { self.object(for: $0) })
            return object
        }
    }

    private func object(for action: TriggerReplay.Action) -> JSONLine {
        var object = JSONLine()
        object.add("time", action.date)
        object.add("events", action.events)
        return object
    }

    private func object(for condition: TelemetryQuery, events: Int) -> JSONLine {
        var object = JSONLine()
        object.add("condition", condition.description)
        object.add("events", events)
        return object
    }

    private func object(for miss: TriggerReplay.Miss) -> JSONLine {
        var values = JSONLine()
        for (field, value) in miss.values {
            if let value { values.add(field, value) } else { values.addNull(field) }
        }
        var object = JSONLine()
        object.add(TelemetrySchema.Field.eventId.rawValue, miss.event.eventId)
        object.add(TelemetrySchema.Field.eventName.rawValue, miss.event.name)
        object.add(TelemetrySchema.Field.eventTimestamp.rawValue, miss.event.timestamp)
        object.add("failed", miss.failed.map(\.description))
        object.add("values", values)
        return object
    }

    /// The numbers of each client.
    public var clients: Table {
        var table = Table([
            .text("client", priority: 9), .number("events", priority: 5), .number("matching", priority: 6),
            .number("actions", priority: 8), .number("held back", priority: 7),
        ])
        for (_, client, result) in replays {
            table.add([
                .init(client), .init(result.events.grouped), .init(result.matched.grouped), .init(result.actions.count.grouped),
                .init(result.heldBack.grouped),
            ])
        }
        return table
    }

    /// Sentences for each client that would not have acted.
    public var explanations: [String] {
        replays.filter { $0.result.actions.isEmpty }.map { replay in
            (["\(replay.client) would not have acted."] + sentences(on: replay.result)).joined(separator: " ").visible
        }
    }

    public var summary: String {
        let actions = replays.reduce(0) { $0 + $1.result.actions.count }
        let heldBack = replays.reduce(0) { $0 + $1.result.heldBack }
        let acting = replays.count { !$0.result.actions.isEmpty }
        return "\(counted(actions, "action")) on \(acting.grouped) of \(counted(replays.count, "client")); "
            + "held back by the limit: \(heldBack.grouped)"
    }

    private func sentences(on result: TriggerReplay.Result) -> [String] {
        if result.events == 0 { return ["No events are stored."] }
        var sentences: [String] = []
        if result.matched > 0 {
            let period = DurationText.compact(seconds: trigger.within)
            sentences.append(
                "At most \(result.largestCount.grouped) of \(trigger.count.grouped) matching events were within \(period).")
        }
        if let (condition, events) = result.failures.first {
            sentences.append("The only failing condition was most often \(condition) (\(counted(events, "event"))).")
        }
        if let miss = result.nearestMiss {
            let conditions = miss.failed.map(\.description).joined(separator: " and ")
            let values = miss.values.map { field, value in value.map { "\(field) is \($0)" } ?? "it has no \(field)" }
            sentences.append(
                "The nearest event, \(miss.event.name) at \(time.dayAndTime(miss.event.timestamp)), failed \(conditions)"
                    + (values.isEmpty ? "." : ": \(values.joined(separator: ", "))."))
        }
        return sentences
    }
}
