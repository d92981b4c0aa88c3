import Foundation

/// A parameter of a statement, or a column of its result.
enum StorageValue: Sendable, Equatable {
    case null
    case int(Int64)
    case double(Double)
    case text(String)
    case bytes(Data)

    init(_ number: Int) { self = .int(Int64(number)) }
}

/// A row of a statement's result. Reading a column with another type throws ``RelayStorageError/corrupt(_:)``.
struct StorageRow: Sendable {
    let values: [StorageValue]

    func int(_ column: Int) throws -> Int64 {
        guard column < values.count, case .int(let number) = values[column] else { throw Self.unreadable }
        return number
    }

    /// The integer of a column that may be null.
    func optionalInt(_ column: Int) throws -> Int64? {
        if column < values.count, values[column] == .null { return nil }
        return try int(column)
    }

    func bytes(_ column: Int) throws -> Data {
        guard column < values.count, case .bytes(let data) = values[column] else { throw Self.unreadable }
        return data
    }

    private static let unreadable = RelayStorageError.corrupt("a row cannot be read")
}
