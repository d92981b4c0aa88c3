/// The body of a post of events: `{"context": {…}, "events": [{…}, …]}`.
struct WireEventBatch {
    private let limit: Int
    private var context: WireEventFields?
    private var events: [RelayEvent]?
    /// The position of events that precede their context.
    private var position: Int?

    private init(limit: Int) { self.limit = limit }

    /// - Parameter limit: the maximum number of events in a batch.
    /// - Throws: `Problem`, `JSONReaderError`.
    static func read(_ body: some Sequence<UInt8>, limit: Int) throws -> [RelayEvent] {
        try JSONReader.read(body) { reader in
            guard try reader.kind() == .object else { throw Problem.invalidArgument("The body must be an object.") }
            var batch = Self(limit: limit)
            try reader.object { key, reader in try batch.readMember(key, &reader) }
            return try batch.finish(&reader)
        }
    }

    private mutating func readMember(_ key: String, _ reader: inout JSONReader) throws {
        switch key {
        case "context":
            guard try !reader.null() else { return }
            context = try WireEventFields(&reader, context: WireEventFields(), place: "context")
        case "events":
            guard try !reader.null() else { return }
            guard try reader.kind() == .array else { throw Problem.invalidArgument("events must be an array.") }
            if context == nil {
                position = reader.position
                try reader.skip()
            } else {
                position = nil
                events = try readEvents(&reader)
            }
        default: try reader.skip()
        }
    }

    private mutating func finish(_ reader: inout JSONReader) throws -> [RelayEvent] {
        if let position {
            let end = reader.position
            reader.position = position
            events = try readEvents(&reader)
            reader.position = end
        }
        guard let events else { throw Problem.invalidArgument("events is missing.") }
        return events
    }

    private func readEvents(_ reader: inout JSONReader) throws -> [RelayEvent] {
        var events: [RelayEvent] = []
        try reader.array { reader in
            guard events.count < limit else { throw Problem.tooLarge("A batch has at most \(limit) events.") }
            let place = "events[\(events.count)]"
            events.append(
                try WireEventFields(&reader, context: context ?? WireEventFields(), place: place).event(place: place))
        }
        return events
    }
}
