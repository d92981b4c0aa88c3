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
    func below(_ context: EventContext) -> Self? { HeaderNames(context).flatMap(below) }

    /// The search in lines below a header with these names; nil if all may match.
    func below(_ names: HeaderNames) -> Self? {
        guard clauses.contains(where: names.contain) else { return self }
        var search = self
        search.clauses.removeAll(where: names.contain)
        return search.clauses.isEmpty ? nil : search
    }

    /// Whether none of the lines' events matches.
    /// - Parameter lines: Lines of events, without their headers.
    func excludes(_ lines: UnsafeBufferPointer<UInt8>) -> Bool { lines.isPlain && excludes(plain: lines) }

    /// The same of lines that are ASCII without a backslash.
    func excludes(plain lines: UnsafeBufferPointer<UInt8>) -> Bool {
        clauses.contains { clause in !clause.contains { $0.isFound(in: lines) } }
    }

    /// What lines that are not excluded may have.
    var sample: LetterPairs.Sample { clauses.first { $0.count == 1 }?[0].sample ?? LetterPairs.any }
}

/// The names that a header lists.
struct HeaderNames {
    private let names: [String]
    private var pairs = LetterPairs()

    /// Nil if they cannot be searched.
    init?(_ context: EventContext) {
        names = context.tables.names.texts
        guard names.allSatisfy({ $0.withBytes(\.isPlain) }) else { return nil }
        for name in names { name.withBytes { pairs.insert($0) } }
    }

    /// Whether one of the names has one of the literals.
    func contain(_ clause: [LetterSearch]) -> Bool {
        clause.contains { search in
            pairs.mayContain(search.sample) && names.contains { $0.withBytes { search.isFound(in: $0) } }
        }
    }
}
