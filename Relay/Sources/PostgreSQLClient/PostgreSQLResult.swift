#if PostgreSQL
/// The rows that a statement returned, in binary form.
package struct PostgreSQLResult: Sendable {
    package var rows: [PostgreSQLRow] = []
    /// The number of rows that a statement changed or returned.
    package var affected = 0

    package init() {}

    /// The only row.
    package var row: PostgreSQLRow {
        get throws {
            guard let row = rows.first else { throw PostgreSQLError(.decoding, "a statement returned no row") }
            return row
        }
    }
}

/// A row of a result. Columns are accessed by their index.
package struct PostgreSQLRow: Sendable {
    let cells: [[UInt8]?]

    package func isNull(_ index: Int) -> Bool { cells[index] == nil }

    package func optionalBytes(_ index: Int) -> [UInt8]? { cells[index] }

    package func bytes(_ index: Int) throws -> [UInt8] {
        guard let bytes = cells[index] else { throw PostgreSQLError(.decoding, "column \(index) is null") }
        return bytes
    }

    package func text(_ index: Int) throws -> String { String(decoding: try bytes(index), as: UTF8.self) }

    package func bool(_ index: Int) throws -> Bool { try bytes(index).first == 1 }

    /// A `smallint`, `integer` or `bigint`.
    package func int(_ index: Int) throws -> Int64 {
        let bytes = try bytes(index)
        switch bytes.count {
        case 2: return Int64(Int16(truncatingIfNeeded: Self.bits(bytes[...])))
        case 4: return Int64(Int32(truncatingIfNeeded: Self.bits(bytes[...])))
        case 8: return Int64(bitPattern: Self.bits(bytes[...]))
        default: throw PostgreSQLError(.decoding, "column \(index) is not an integer")
        }
    }

    package func optionalInt(_ index: Int) throws -> Int64? { isNull(index) ? nil : try int(index) }

    package func double(_ index: Int) throws -> Double {
        let bytes = try bytes(index)
        guard bytes.count == 8 else { throw PostgreSQLError(.decoding, "column \(index) is not a double") }
        return Double(bitPattern: Self.bits(bytes[...]))
    }

    package func optionalDouble(_ index: Int) throws -> Double? { isNull(index) ? nil : try double(index) }

    /// An array of `integer`; empty if null.
    package func int32s(_ index: Int) throws -> [Int32] {
        guard let bytes = cells[index], bytes.count >= 20 else { return [] }
        let count = Int(Self.bits(bytes[12..<16]))
        guard bytes.count == 20 + count * 8 else { throw PostgreSQLError(.decoding, "column \(index) is not an array") }
        return (0..<count).map { element in
            Int32(truncatingIfNeeded: Self.bits(bytes[(24 + element * 8)..<(28 + element * 8)]))
        }
    }

    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
#endif
