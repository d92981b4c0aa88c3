import Foundation
@_spi(Tooling) import TelemetryModels

/// What queries can decide on without reading a block's events: the cells of its summary, its time, its client, its
/// session and its words.
final class BlockCells {
    /// A query's cell, and the cells of the summary that it consists of.
    typealias Cell = (cell: QueryCell, places: [Int])

    /// The fields that can be known.
    static let fields: Set<QueryField> = [.client, .session, .scenario, .level, .severity, .name, .time]

    private let db: any StorageConnection
    /// The fields that the query names.
    private let fields: Set<QueryField>
    private var clients: [Int64: QueryCell.Known] = [:]
    private var sessions: [Int64: QueryCell.Known] = [:]

    init(_ db: any StorageConnection, for fields: Set<QueryField>) { (self.db, self.fields) = (db, fields) }

    /// The cells of a block for which a flag is set.
    func cells(of block: EventBlock, _ summary: BlockSummary, where isSelected: [Bool]) throws -> [Cell] {
        // A date is the nearest one to a time with nanoseconds, which can be in another second.
        let first = Date(timeIntervalSince1970: Double(block.seconds.lowerBound - 1))
        let last = Date(timeIntervalSince1970: Double(block.seconds.upperBound + 1))
        let client = try fields.contains(.client) ? client(block.stream.client) : .unknown
        let session = try fields.contains(.session) ? session(block.stream.number) : .unknown
        return summary.groups(by: fields, where: isSelected).compactMap { group in
            guard let level = TelemetryLogLevel(storedNumber: group.kind.level) else { return nil }
            let severity = fields.contains(.severity) ? group.kind.severity : nil
            let cell = QueryCell(
                count: group.count, level: level, times: first...last, scenario: Self.known(group.kind.scenario),
                name: fields.contains(.name) ? Self.known(group.kind.name) : .unknown, client: client, session: session,
                severity: severity.map { .init($0.rawValue) } ?? .unknown, words: block.words)
            return (cell, group.places)
        }
    }

    /// A cell of events of a kind that may be in any block.
    static func cell(of kind: BlockSummary.Kind) -> QueryCell? {
        guard let level = TelemetryLogLevel(storedNumber: kind.level) else { return nil }
        return QueryCell(
            count: 1, level: level, times: .distantPast ... .distantFuture, scenario: known(kind.scenario),
            name: known(kind.name),
            client: .unknown, session: .unknown, severity: kind.severity.map { .init($0.rawValue) } ?? .unknown, words: nil)
    }

    private static func known(_ key: Data?) -> QueryCell.Known {
        guard let key else { return .value(nil) }
        return NameKey.text(of: key).map { .init($0) } ?? .unknown
    }

    private func client(_ number: Int64) throws -> QueryCell.Known {
        if let known = clients[number] { return known }
        let rows = try db.rows("SELECT client_key FROM event_client WHERE id = $1", [.int(number)])
        let key = try rows.first?.bytes(0)
        // An absent client has the key of an empty one.
        let known = key == NameKey.none ? .unknown : key.map(Self.known) ?? .unknown
        clients[number] = known
        return known
    }

    private func session(_ number: Int64) throws -> QueryCell.Known {
        if let known = sessions[number] { return known }
        let rows = try db.rows("SELECT session_key FROM event_stream WHERE id = $1", [.int(number)])
        let known = try rows.first.map { Self.known(try $0.bytes(0)) } ?? .unknown
        sessions[number] = known
        return known
    }
}
