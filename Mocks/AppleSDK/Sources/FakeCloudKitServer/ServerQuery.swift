import Foundation

/// A query as it reaches the server: `NSPredicate`'s format and arguments, and a sort direction for the creation time.
public struct ServerQuery: Sendable {
    public enum Argument: Sendable, Equatable {
        case value(ServerValue)
        case values([ServerValue])
    }

    public let type: String
    /// "TRUEPREDICATE", or conditions `%K == %@` with `==`, `>=`, `<` or `IN`, joined by AND.
    public let format: String
    public let arguments: [Argument]
    /// Nil for no order.
    public let ascendingByCreation: Bool?

    public init(type: String, format: String, arguments: [Argument], ascendingByCreation: Bool? = nil) {
        self.type = type
        self.format = format
        self.arguments = arguments
        self.ascendingByCreation = ascendingByCreation
    }

    struct Condition {
        let field: String
        let comparison: String
        let argument: Argument
    }

    func conditions() throws -> [Condition] {
        if format == "TRUEPREDICATE" { return [] }
        var rest = arguments[...]
        return try format.components(separatedBy: " AND ").map { text in
            let parts = text.split(separator: " ")
            guard parts.count == 3, parts[0] == "%K", parts[2] == "%@", ["==", ">=", "<", "IN"].contains(parts[1]),
                case .value(.string(let field))? = rest.popFirst(), let argument = rest.popFirst()
            else {
                throw ServerFault(code: FaultCode.invalidArguments, message: "The server cannot read the predicate \(format).")
            }
            return Condition(field: field, comparison: String(parts[1]), argument: argument)
        }
    }
}

extension ServerQuery.Condition {
    /// The field's name in the schema file.
    var schemaField: String { field == "creationDate" ? "___createTime" : field }

    var isRange: Bool { [">=", "<"].contains(comparison) }

    func holds(for record: ServerRecord) -> Bool {
        let stored = field == "creationDate" ? record.created.map(ServerValue.date) : record.fields[field]
        guard let stored else { return false }
        switch (comparison, argument) {
        case ("IN", .values(let values)): return values.contains { Self.areEqual(stored, $0) }
        case ("==", .value(let value)): return Self.areEqual(stored, value)
        case (">=", .value(let value)): return Self.isLess(stored, value).map(!) ?? false
        case ("<", .value(let value)): return Self.isLess(stored, value) ?? false
        default: return false
        }
    }

    /// Compares strings byte by byte, ignoring case.
    private static func areEqual(_ lhs: ServerValue, _ rhs: ServerValue) -> Bool {
        if case (.string(let left), .string(let right)) = (lhs, rhs) {
            return left.lowercased().utf8.elementsEqual(right.lowercased().utf8)
        }
        return lhs == rhs
    }

    private static func isLess(_ lhs: ServerValue, _ rhs: ServerValue) -> Bool? {
        switch (lhs, rhs) {
        case (.date(let left), .date(let right)): left < right
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        default: nil
        }
    }
}
