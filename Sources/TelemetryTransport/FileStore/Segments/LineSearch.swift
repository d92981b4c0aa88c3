@_spi(Tooling) import TelemetryModels
import TelemetrySystem

/// Decides by their bytes that event lines do not match a query.
struct LineSearch {
    private var clauses: [[LetterSearch]]

    /// Nil if nothing is known of the lines of events that match.
    init?(_ literals: QueryLiterals) {
        guard !literals.clauses.isEmpty else { return nil }
        clauses = literals.clauses.map { $0.map(LetterSearch.init) }
    }

    /// The search in lines below a header; nil if they may match because of the names that it lists.
    func below(_ context: EventContext) -> Self? {
        let names = context.tables.names.texts
        guard names.allSatisfy({ $0.withBytes(\.isPlain) }) else { return nil }
        var search = self
        search.clauses.removeAll { clause in names.contains { $0.withBytes { Self.isFound(clause, $0) } } }
        return search.clauses.isEmpty ? nil : search
    }

    /// Whether none of the lines' events matches.
    /// - Parameter lines: Lines of events, without their headers.
    func excludes(_ lines: UnsafeBufferPointer<UInt8>) -> Bool {
        lines.isPlain && clauses.contains { !Self.isFound($0, lines) }
    }

    private static func isFound(_ clause: [LetterSearch], _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        clause.contains { $0.isFound(in: bytes) }
    }
}
