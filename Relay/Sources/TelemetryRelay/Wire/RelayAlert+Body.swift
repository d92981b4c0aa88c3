@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The body of `PUT /v1/alerts/{name}`, which is also the stored form.
extension RelayAlert {
    /// - Throws: ``Problem``, or an error of the JSON.
    init(name: String, body: some Sequence<UInt8>) throws {
        var (text, webhook): (String?, String?)
        var (count, within, quiet, isEnabled) = (1, 60, 3_600, true)
        try WireRecordBodies.object(body) { key, reader in
            switch key {
            case "query": text = try WireRecord.text(&reader, key)
            case "count": count = try WireRecordBodies.number(&reader, key, Self.counts)
            case "within": within = try WireRecordBodies.number(&reader, key, Self.spans)
            case "webhook": webhook = try WireRecord.text(&reader, key)
            case "quiet": quiet = try WireRecordBodies.number(&reader, key, Self.quiets)
            case "isEnabled":
                guard try reader.kind() == .bool else { throw Problem.invalidArgument("isEnabled must be true or false.") }
                isEnabled = try reader.bool()
            default: try reader.skip()
            }
        }
        guard let text else { throw Problem.invalidArgument("query is missing.") }
        guard let webhook else { throw Problem.invalidArgument("webhook is missing.") }
        let query: TelemetryQuery
        do {
            query = try TelemetryQuery(filter: text)
        } catch {
            throw Problem(query: error)
        }
        self.init(
            name: name, query: query, count: count, within: within, webhook: webhook, quiet: quiet, isEnabled: isEnabled)
    }
}
