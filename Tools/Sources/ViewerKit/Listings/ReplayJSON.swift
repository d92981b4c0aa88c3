import TelemetryModels

extension JSONLine {
    public init(_ result: TriggerReplay.Result, clientId: String) {
        self.init()
        add(TelemetrySchema.Field.clientId.rawValue, clientId)
        add("events", result.events)
        add("matched", result.matched)
        add(
            "actions",
            result.actions.map { action in
                var object = JSONLine()
                object.add("time", action.date)
                object.add("events", action.events)
                return object
            })
        add("heldBack", result.heldBack)
        add("largestCount", result.largestCount)
        add(
            "failures",
            result.failures.map { failure in
                var object = JSONLine()
                object.add("condition", failure.condition.description)
                object.add("events", failure.events)
                return object
            })
        add("nearestMiss", result.nearestMiss.map { JSONLine($0) })
    }

    private init(_ miss: TriggerReplay.Miss) {
        var values = JSONLine()
        for (field, value) in miss.values {
            if let value { values.add(field, value) } else { values.addNull(field) }
        }
        self.init()
        add(TelemetrySchema.Field.eventId.rawValue, miss.event.eventId)
        add(TelemetrySchema.Field.eventName.rawValue, miss.event.name)
        add(TelemetrySchema.Field.eventTimestamp.rawValue, miss.event.timestamp)
        add("failed", miss.failed.map(\.description))
        add("values", values)
    }
}
