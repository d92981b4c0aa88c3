#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The part of a query that selects events.
indirect enum QueryFilter: Sendable {
    case term(QueryTerm)
    case not(QueryFilter)
    /// Every event if there are no operands.
    case and([QueryFilter])
    case or([QueryFilter])

    func matches(_ subject: some QuerySubject, now: Date) -> Bool {
        switch self {
        case .term(let term): term.matches(subject, now: now)
        case .not(let filter): !filter.matches(subject, now: now)
        case .and(let filters): filters.allSatisfy { $0.matches(subject, now: now) }
        case .or(let filters): filters.contains { $0.matches(subject, now: now) }
        }
    }
}
