@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The body of `PUT /v1/alerts/{name}`, which is also the stored form.
extension RelayAlert {
    /// - Throws: ``Problem``, or an error of the JSON.
    init(name: String, body: some Sequence<UInt8>) throws {
        var (text, webhook, clients): (String?, String?, String?)
        var silence: Int?
        var (count, within, quiet, isEnabled) = (1, 60, 3_600, true)
        try WireRecordBodies.object(body) { key, reader in
            switch key {
            case "query": text = try WireRecord.text(&reader, key)
            case "count": count = try WireRecordBodies.number(&reader, key, Events.counts)
            case "within": within = try WireRecordBodies.number(&reader, key, Events.spans)
            case "silence": silence = try WireRecordBodies.number(&reader, key, Silence.spans)
            case "clients": clients = try WireRecord.text(&reader, key)
            case "webhook": webhook = try WireRecord.text(&reader, key)
            case "quiet": quiet = try WireRecordBodies.number(&reader, key, Self.quiets)
            case "isEnabled":
                guard try reader.kind() == .bool else { throw Problem.invalidArgument("isEnabled must be true or false.") }
                isEnabled = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let webhook else { throw Problem.invalidArgument("webhook is missing.") }
        let condition: Condition
        switch (text, silence) {
        case (nil, nil): throw Problem.invalidArgument("query or silence is missing.")
        case (.some, .some): throw Problem.invalidArgument("An alert has either query or silence.")
        case (let text?, nil):
            guard clients == nil else { throw Problem.invalidArgument("clients is for silence.") }
            condition = .events(Events(query: try Self.query(text), count: count, within: within))
        case (nil, let silence?):
            condition = .silence(Silence(seconds: silence, clients: try Self.pattern(clients ?? "*")))
        }
        self.init(name: name, condition: condition, webhook: webhook, quiet: quiet, isEnabled: isEnabled)
    }

    private static func query(_ text: String) throws -> TelemetryQuery {
        do {
            return try TelemetryQuery(filter: text)
        } catch {
            throw Problem(query: error)
        }
    }

    private static func pattern(_ text: String) throws -> NamePattern {
        guard (1...Silence.maximumPattern).contains(text.utf8.count) else {
            throw Problem.invalidArgument("clients must have 1 to \(Silence.maximumPattern) bytes.")
        }
        return NamePattern(text)
    }
}
