/// The part of a query that selects events.
indirect enum QueryFilter: Sendable {
    case term(QueryTerm)
    case not(QueryFilter)
    /// Every event if there are no operands.
    case and([QueryFilter])
    case or([QueryFilter])

    func matches(_ subject: some QuerySubject, in context: QueryContext) -> Bool {
        switch self {
        case .term(let term): term.matches(subject, in: context)
        case .not(let filter): !filter.matches(subject, in: context)
        case .and(let filters): filters.allSatisfy { $0.matches(subject, in: context) }
        case .or(let filters): filters.contains { $0.matches(subject, in: context) }
        }
    }

    /// The fields that its terms name.
    var fields: Set<QueryField> {
        switch self {
        case .term(let term): Set([term.field].compactMap(\.self))
        case .not(let filter): filter.fields
        case .and(let filters), .or(let filters): filters.reduce(into: []) { $0.formUnion($1.fields) }
        }
    }
}
