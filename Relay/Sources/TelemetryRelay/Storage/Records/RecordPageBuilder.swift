import TelemetryModels
import TelemetryTransport

/// Fills a page with a query's records, which are added in order.
struct RecordPageBuilder {
    let order: RecordOrder
    private let query: TelemetryRecordQuery
    private let request: RelayRecordPageRequest
    private var records: [RelayRecord] = []
    private var bytes = 0
    /// The position of the last record that was added or that is not part of the result.
    private var position: RecordOrder.Position?
    /// That of the last record that was added, which is all that a cursor may tell.
    private var added: RecordOrder.Position?

    /// - Throws: ``RelayStorageError/invalidCursor``.
    init(_ query: TelemetryRecordQuery, _ request: RelayRecordPageRequest) throws {
        (self.query, self.request, order) = (query, request, RecordOrder(query))
        position = try request.after?.position()
        added = position
    }

    /// Selects the next rows.
    func candidates() -> RecordCandidates { RecordCandidates(order, after: position, capacity: request.candidates) }

    /// Statements that one after the other select the next rows of all clients, each with a number, the key of the value and of the
    /// name; nil if the rows have to be sorted.
    func statements() -> [Statement]? {
        var start = Statement("SELECT id, sort_key, name_key FROM record WHERE type_key = ")
        start.sql += start.parameter(.bytes(NameKey.data(of: query.recordType)))
        return order.statements(start, after: position)?.map { $0 + " LIMIT \(step)" }
    }

    /// The number of rows after which ``statements()`` are not continued.
    var step: Int { min(request.candidates, request.limit == .max ? request.candidates : request.limit + 1) }

    /// Adds the next record, unless it is not part of the result.
    /// - Parameter size: its stored size, in bytes.
    /// - Returns: false if the page has no room for it.
    mutating func add(_ record: RelayRecord, size: Int, at position: RecordOrder.Position) -> Bool {
        if query.matches(record.record), request.admits(record) {
            guard records.isEmpty || (records.count < request.limit && bytes + size <= request.bytes) else { return false }
            records.append(record)
            bytes += size
            added = position
        }
        self.position = position
        return true
    }

    func page(hasMore: Bool) -> RelayRecordPage {
        let texts = Dictionary(records.map { ($0.record.recordID, $0.dateTexts) }) { first, _ in first }
        let sorted = query.apply(to: records.map(\.record)).map { RelayRecord($0, dateTexts: texts[$0.recordID] ?? [:]) }
        return RelayRecordPage(records: sorted, cursor: RelayRecordCursor(added), hasMore: hasMore)
    }
}

extension TelemetryRecordQuery {
    /// The clients whose records can match; nil means all.
    /// - Parameter permitted: the clients whose records may be read; nil means all.
    func clients(among permitted: Set<String>?) -> Set<String>? {
        guard let named = conditions[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue else { return permitted }
        return permitted.map { $0.contains(named) ? [named] : [] } ?? [named]
    }
}
