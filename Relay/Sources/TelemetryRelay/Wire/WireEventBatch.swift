@_spi(Tooling) import TelemetrySystem

/// The body of a post of events: `{"context": {…}, "events": [{…}, …]}`.
struct WireEventBatch {
    private let limits: RelayLimits
    private var context: WireEventFields?
    private var events: RelayEventBatch?
    /// A reader at events that precede their context.
    private var earlyEvents: JSONReader?
    /// The members read so far. Each may occur once, because expanding the events again costs as much again.
    private var members: Set<String> = []

    private init(limits: RelayLimits) { self.limits = limits }

    /// - Parameter limits: bound the number of events in a batch, and the bytes of the events with what they take from the context.
    /// - Throws: `Problem`, `JSONReaderError`.
    static func read(_ body: some Sequence<UInt8>, limits: RelayLimits) throws -> RelayEventBatch {
        try JSONReader.read(body) { reader in
            guard try reader.kind() == .object else { throw Problem.invalidArgument("The body must be an object.") }
            var batch = Self(limits: limits)
            try reader.object { key, reader in try batch.readMember(key, &reader) }
            return try batch.finish()
        }
    }

    private mutating func readMember(_ key: String, _ reader: inout JSONReader) throws {
        if key == "context" || key == "events", !members.insert(key).inserted {
            throw Problem.invalidArgument("The body has two members \(key).")
        }
        switch key {
        case "context":
            guard try !reader.null() else { return }
            context = try WireEventFields(&reader, context: WireEventFields(), place: "context")
        case "events":
            guard try !reader.null() else { return }
            guard try reader.kind() == .array else { throw Problem.invalidArgument("events must be an array.") }
            if context == nil {
                earlyEvents = reader
                try reader.skip()
            } else {
                events = try readEvents(&reader)
            }
        default: try reader.skip()
        }
    }

    private mutating func finish() throws -> RelayEventBatch {
        if var earlyEvents { events = try readEvents(&earlyEvents) }
        guard let events else { throw Problem.invalidArgument("events is missing.") }
        return events
    }

    private func readEvents(_ reader: inout JSONReader) throws -> RelayEventBatch {
        var events = WireEventCollector(limits: limits, sharing: context == nil ? nil : "the context's")
        try reader.array { reader in
            let place = "events[\(events.batch.events.count)]"
            try events.append(WireEventFields(&reader, context: context ?? WireEventFields(), place: place), place: place)
        }
        return events.batch
    }
}
