#if PostgreSQL
import CPostgreSQL
package import Foundation

/// A row of a result. Reading a column with another type throws ``PostgreSQLError`` with the code `decoding`.
package struct PostgreSQLRow: Sendable {
    package let values: [PostgreSQLValue]

    /// A row of libpq's result in binary form.
    init(_ result: OpaquePointer, _ row: Int32) throws {
        values = try (0..<PQnfields(result)).map { column in
            guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
            return try PostgreSQLValue(bytes, type: PQftype(result, column))
        }
    }

    /// An integer; 1 and 0 for a `boolean`.
    package func int(_ column: Int) throws -> Int64 {
        guard case .int(let number) = values[column] else { throw Self.unreadable(column) }
        return number
    }

    package func text(_ column: Int) throws -> String {
        guard case .text(let text) = values[column] else { throw Self.unreadable(column) }
        return text
    }

    package func double(_ column: Int) throws -> Double {
        guard case .double(let number) = values[column] else { throw Self.unreadable(column) }
        return number
    }

    package func bytes(_ column: Int) throws -> Data {
        guard case .bytes(let data) = values[column] else { throw Self.unreadable(column) }
        return data
    }

    private static func unreadable(_ column: Int) -> PostgreSQLError {
        PostgreSQLError(.decoding, "column \(column) cannot be read")
    }
}
#endif
