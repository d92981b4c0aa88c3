#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a store knows of some events without reading them. For the project's packages; not part of the interface.
@_spi(Tooling)
public struct QueryCell: Sendable {
    /// What is known of a field.
    public enum Known: Sendable {
        /// The value of all of the events; nil if all lack the field.
        case value(TelemetryValue?)
        case unknown

        /// - Parameter text: Nil if all of the events lack the field.
        public init(_ text: String?) { self = .value(text.map(TelemetryValue.string)) }
    }

    public var count: Int
    public var level: TelemetryLogLevel
    /// All times are within it.
    public var times: ClosedRange<Date>
    public var scenario: Known
    public var name: Known
    public var client: Known
    public var session: Known
    public var severity: Known
    /// The words of events that include these; nil if they are not known.
    public var words: WordFilter?

    public init(
        count: Int, level: TelemetryLogLevel, times: ClosedRange<Date>, scenario: Known = .unknown, name: Known = .unknown,
        client: Known = .unknown, session: Known = .unknown, severity: Known = .unknown, words: WordFilter? = nil
    ) {
        (self.count, self.level, self.times, self.words) = (count, level, times, words)
        (self.scenario, self.name, self.client, self.session) = (scenario, name, client, session)
        self.severity = severity
    }

    func known(_ field: QueryField) -> Known {
        switch field {
        case .client: client
        case .session: session
        case .scenario: scenario
        case .level: .value(.string(level.rawValue))
        case .name: name
        case .severity: severity
        case .text, .time, .sequence, .id, .thread, .device, .app, .attribute: .unknown
        }
    }

    /// An event of the cell as far as it is known.
    struct Subject: QuerySubject {
        let cell: QueryCell
        let time: Date

        func value(of field: QueryField) -> TelemetryValue? {
            if field == .time { return .date(time) }
            return if case .value(let value) = cell.known(field) { value } else { nil }
        }

        func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool { false }

        var byteCount: Int { MemoryLayout<Self>.size }
    }
}

extension QueryFilter {
    /// Whether all events of a cell match, or none; nil if it depends on the event.
    func matches(_ cell: QueryCell, in context: QueryContext) -> Bool? {
        switch self {
        case .term(let term): return term.matches(cell, in: context)
        case .not(let filter): return filter.matches(cell, in: context).map { !$0 }
        case .and(let filters): return Self.decision(filters, unless: false) { $0.matches(cell, in: context) }
        case .or(let filters): return Self.decision(filters, unless: true) { $0.matches(cell, in: context) }
        }
    }

    /// Whether the words of a cell may decide.
    var usesWords: Bool {
        switch self {
        case .term(let term): !(term.wordLists?.contains(where: \.isEmpty) ?? true)
        case .not(let filter): filter.usesWords
        case .and(let filters), .or(let filters): filters.contains(where: \.usesWords)
        }
    }

    /// The decision that one filter's is enough for; the opposite if all filters have that; otherwise nil.
    private static func decision(_ filters: [Self], unless enough: Bool, _ decide: (Self) -> Bool?) -> Bool? {
        var isCertain = true
        for filter in filters {
            let decision = decide(filter)
            if decision == enough { return enough }
            if decision == nil { isCertain = false }
        }
        return isCertain ? !enough : nil
    }
}

extension QueryTerm {
    /// Whether all events of a cell match, or none; nil if it depends on the event.
    fileprivate func matches(_ cell: QueryCell, in context: QueryContext) -> Bool? {
        let isExcluded = cell.words.map(isExcluded) ?? false
        guard let field else { return if case .everything = self { true } else { isExcluded ? false : nil } }
        switch self {
        case .age, .compares(.time, _, _):
            // What holds for the first time and for the last one holds for all times between them.
            let first = matches(QueryCell.Subject(cell: cell, time: cell.times.lowerBound), in: context)
            let last = matches(QueryCell.Subject(cell: cell, time: cell.times.upperBound), in: context)
            return first == last ? first : nil
        default:
            guard case .value = cell.known(field) else { return isExcluded ? false : nil }
            return matches(QueryCell.Subject(cell: cell, time: cell.times.lowerBound), in: context)
        }
    }

    /// Whether the words of events decide that none matches.
    private func isExcluded(by words: WordFilter) -> Bool {
        !(wordLists?.contains { $0.allSatisfy(words.mayContain) } ?? true)
    }

    /// Hashes of words: a matching event has all words of one of the lists in its name, its text or its attributes. Nil if it need not.
    fileprivate var wordLists: [[UInt64]]? {
        switch self {
        case .words(let words, nil): [words.wholeWords]
        case .words(let words, let field?): Self.hasWords(field) ? [words.wholeWords] : nil
        case .equals(let field, let operands): Self.hasWords(field) ? operands.map(\.words) : nil
        case .everything, .has, .pattern, .compares, .age: nil
        }
    }

    private static func hasWords(_ field: QueryField) -> Bool {
        switch field {
        case .name, .text, .attribute: true
        case .client, .session, .scenario, .level, .severity, .time, .sequence, .id, .thread, .device, .app: false
        }
    }
}
