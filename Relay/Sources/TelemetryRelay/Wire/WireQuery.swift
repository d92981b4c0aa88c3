import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The body of `POST /v1/query`.
struct WireQuery {
    static let resultLimit = 10_000

    var query = TelemetryQuery.all
    /// The requested filter, before it is narrowed to the caller's clients.
    var filter = RelayEventFilter()
    var now = Date()
    /// The maximum number of rows or events of the response.
    var limit = 1_000

    init(_ body: some Sequence<UInt8>) throws {
        var text: String?
        try WireRecordBodies.object(body) { key, reader in
            switch key {
            case "query": text = try WireRecord.text(&reader, key)
            case "client":
                filter.clients = try Self.single(&reader, key).map { client in
                    try ClientIdentifier.check(client, place: "client")
                    return [client]
                }
            case "session": filter.sessionId = try Self.single(&reader, key)
            case "scenario": filter.scenarios = Set(try Self.names(&reader, key))
            case "name": filter.names = Set(try Self.names(&reader, key))
            case "level": filter.levels = try EventQuery.levels(Self.names(&reader, key))
            case "since": filter.since = try EventQuery.time(WireRecord.text(&reader, key), key)
            case "until": filter.until = try EventQuery.time(WireRecord.text(&reader, key), key)
            case "now": now = try EventQuery.time(WireRecord.text(&reader, key), key).date
            case "limit": limit = try WireRecordBodies.number(&reader, key, 1...Self.resultLimit)
            default: try reader.skip()
            }
        }
        guard let text else { throw Problem.invalidArgument("query is missing.") }
        do {
            query = try TelemetryQuery(text)
        } catch {
            throw Problem(query: error)
        }
    }

    /// A string, or an array of strings.
    private static func names(_ reader: inout JSONReader, _ key: String) throws -> [String] {
        guard try reader.kind() == .array else { return [try WireRecord.text(&reader, key)] }
        return try WireRecordBodies.array(&reader, key) { try WireRecord.text(&$1, "\(key)[\($0)]") }
    }

    /// Like a parameter that may not repeat.
    private static func single(_ reader: inout JSONReader, _ key: String) throws -> String? {
        let names = try names(&reader, key)
        guard names.count <= 1 else { throw Problem.invalidArgument("\(key) must not repeat.") }
        return names.first
    }
}
