import Foundation
import TelemetryModels
import TelemetryTransport

/// The order of a query's records across pages, by keys of limited size that a storage reads without the records.
///
/// It is the query's order, except that only the first ``maximumText`` bytes of a string count, and that names are compared by their
/// ``NameKey``s. Within a page, the query's order applies.
struct RecordOrder {
    /// The keys of a record. No two records have the same name.
    struct Position: Equatable {
        /// The key of the value to sort by; empty for a record that lacks it.
        var value: [UInt8]
        var name: [UInt8]
    }

    /// The maximum number of bytes of a string's key.
    static let maximumText = 64

    private let field: String?
    private let ascending: Bool
    /// Whether the column `sort_key` contains the key of the field.
    private let isStored: Bool

    init(_ query: TelemetryRecordQuery) {
        (field, ascending) = (query.sortField, query.ascending)
        isStored = query.sortField == Self.storedField(of: query.recordType)
    }

    /// The field by which the library's operations sort records of a type.
    private static func storedField(of recordType: String) -> String {
        recordType == TelemetrySchema.scenarioRecordType
            ? TelemetrySchema.ScenarioField.scenarioName.rawValue : TelemetrySchema.ClientField.created.rawValue
    }

    /// The content of a record's column `sort_key`.
    static func storedKey(of record: TelemetryRecord) -> [UInt8] { key(of: record[storedField(of: record.recordType)]) }

    /// An index with which ``statements(_:after:)`` read in order.
    static let index = "CREATE INDEX record_by_value ON record (type_key, sort_key, name_key);"

    /// Statements that begin with `start` and one after the other select the rows after a position; nil if the rows of this order have
    /// to be sorted.
    /// - Parameter position: nil is before all records.
    func statements(_ start: Statement, after position: Position?) -> [Statement]? {
        guard isStored else { return nil }
        func statement(_ conditions: [(String, [UInt8])], _ order: String) -> Statement {
            conditions.reduce(into: start) { statement, condition in
                statement.sql += " AND \(condition.0) \(statement.parameter(.bytes(Data(condition.1))))"
            } + " ORDER BY \(order)"
        }
        let byValue = "sort_key \(ascending ? "ASC" : "DESC"), name_key"
        let lacking = statement([("sort_key =", [])], "name_key")
        guard let position else { return [statement([("sort_key >", [])], byValue), lacking] }
        let same = statement([("sort_key =", position.value), ("name_key >", position.name)], "name_key")
        if position.value.isEmpty { return [same] }
        let others: [(String, [UInt8])] =
            ascending ? [("sort_key >", position.value)] : [("sort_key <", position.value), ("sort_key >", [])]
        return [same, statement(others, byValue), lacking]
    }

    /// The columns for ``position(name:stored:body:)``.
    var columns: String {
        switch (field, isStored) {
        case (nil, _): "id, name_key, CASE WHEN false THEN sort_key END, CASE WHEN false THEN body END"
        case (_, true): "id, name_key, sort_key, CASE WHEN false THEN body END"
        case (_, false): "id, name_key, CASE WHEN false THEN sort_key END, body"
        }
    }

    func position(name: [UInt8], stored: [UInt8]?, body: Data?) throws -> Position {
        guard let field else { return Position(value: [], name: name) }
        let value = try stored ?? body.map { Self.key(of: try RecordRow.decode(TelemetryRecord.self, $0)[field]) }
        return Position(value: value ?? [], name: name)
    }

    func precedes(_ lhs: Position, _ rhs: Position) -> Bool {
        guard field != nil else {
            return ascending ? lhs.name.lexicographicallyPrecedes(rhs.name) : rhs.name.lexicographicallyPrecedes(lhs.name)
        }
        if lhs.value == rhs.value { return lhs.name.lexicographicallyPrecedes(rhs.name) }
        if lhs.value.isEmpty || rhs.value.isEmpty { return rhs.value.isEmpty }
        return lhs.value.lexicographicallyPrecedes(rhs.value) == ascending
    }

    /// A key whose bytes sort as a query sorts values: Booleans and integers, then other numbers and dates, then NaN, then
    /// strings. Empty for nil.
    private static func key(of value: TelemetryValue?) -> [UInt8] {
        switch value {
        case nil: []
        case .int(let number): key(1, UInt64(bitPattern: number) ^ 1 << 63)
        case .bool(let flag): key(1, 1 << 63 | (flag ? 1 : 0))
        case .double(let number): key(of: number)
        case .date(let date): key(of: date.timeIntervalSinceReferenceDate)
        case .string(let text): [4] + key(of: text)
        }
    }

    private static func key(of number: Double) -> [UInt8] {
        if number.isNaN { return [3] }
        // Adding 0 makes both zeros equal.
        let bits = (number + 0).bitPattern
        return key(2, bits >> 63 == 1 ? ~bits : bits | 1 << 63)
    }

    /// Swift compares strings by Unicode's normalization form C.
    private static func key(of text: String) -> [UInt8] {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumText)))
        return Array(ClientIdentifier.normalized(start).utf8.prefix(maximumText))
    }

    private static func key(_ kind: UInt8, _ bits: UInt64) -> [UInt8] {
        [kind] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}

extension RelayRecordCursor {
    /// - Parameter position: nil is before all records.
    init(_ position: RecordOrder.Position?) {
        let bytes = position.map { [1, UInt8($0.value.count)] + $0.value + $0.name } ?? [0]
        self.init(rawValue: PercentCoding.hexadecimal(bytes))
    }

    /// - Throws: ``RelayStorageError/invalidCursor``.
    func position() throws -> RecordOrder.Position? {
        guard let bytes = PercentCoding.bytes(ofHexadecimal: rawValue) else { throw RelayStorageError.invalidCursor }
        if bytes == [0] { return nil }
        guard bytes.count > 2, bytes[0] == 1, bytes.count > 2 + Int(bytes[1]) else { throw RelayStorageError.invalidCursor }
        let name = 2 + Int(bytes[1])
        return RecordOrder.Position(value: Array(bytes[2..<name]), name: Array(bytes[name...]))
    }
}
