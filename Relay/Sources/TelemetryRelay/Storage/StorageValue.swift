import Foundation

/// A parameter of a statement, or a column of its result.
enum StorageValue: Sendable, Equatable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
    case bytes(Data)

    init(_ number: Int) { self = .int(Int64(number)) }

    init(_ data: Data?) { self = data.map { .bytes($0) } ?? .null }

    /// Seconds since the reference date.
    init(_ date: Date?) { self = date.map { .double($0.timeIntervalSinceReferenceDate) } ?? .null }
}

/// A row of a statement's result. Reading a column with another type throws ``RelayStorageError/corrupt(_:)``.
struct StorageRow: Sendable {
    let values: [StorageValue]

    func int(_ column: Int) throws -> Int64 {
        guard column < values.count, case .int(let number) = values[column] else { throw Self.unreadable }
        return number
    }

    /// The integer of a column that may be null.
    func optionalInt(_ column: Int) throws -> Int64? { isNull(column) ? nil : try int(column) }

    func double(_ column: Int) throws -> Double {
        guard column < values.count, case .double(let number) = values[column] else { throw Self.unreadable }
        return number
    }

    /// The time of a column that may be null.
    func date(_ column: Int) throws -> Date? {
        isNull(column) ? nil : Date(timeIntervalSinceReferenceDate: try double(column))
    }

    func text(_ column: Int) throws -> String {
        guard column < values.count, case .text(let text) = values[column] else { throw Self.unreadable }
        return text
    }

    func bytes(_ column: Int) throws -> Data {
        guard column < values.count, case .bytes(let data) = values[column] else { throw Self.unreadable }
        return data
    }

    /// The bytes of a column that may be null.
    func optionalBytes(_ column: Int) throws -> Data? { isNull(column) ? nil : try bytes(column) }

    private func isNull(_ column: Int) -> Bool { column < values.count && values[column] == .null }

    private static let unreadable = RelayStorageError.corrupt("a row cannot be read")
}
