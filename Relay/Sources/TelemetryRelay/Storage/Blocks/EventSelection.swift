import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

/// A filter for events, with strings as keys.
struct EventSelection: Sendable {
    private let scenarios: Set<Data>?
    private let scenarioPatterns: [NamePattern]
    private let levels: Set<Int64>?
    private let names: Set<Data>?
    private let since: RelayTime?
    private let until: RelayTime?
    private let query: TelemetryQuery?
    private let context: QueryContext
    /// What events have that fulfil the condition for which they have to be read.
    let literals: QueryLiterals
    /// The clients whose events match; nil for all events, also those without a client.
    let clients: [Data]?
    /// If there are any, those clients alone whose identifier matches one of them.
    let clientPatterns: [NamePattern]
    let session: Data?
    /// Whether nothing can match.
    let isEmpty: Bool

    init(_ filter: RelayEventFilter, in context: QueryContext = QueryContext(now: Date())) {
        self.context = context
        let filter = filter.query.map { filter.narrowed(to: $0, now: context.now) } ?? filter
        (clientPatterns, scenarioPatterns) = (filter.clientPatterns, filter.scenarioPatterns)
        scenarios = filter.scenarios.map { Set($0.map(NameKey.data)) }
        levels = filter.levels.map { Set($0.map(\.storedNumber)) }
        names = filter.names.map { Set($0.map(NameKey.data)) }
        (since, until) = (filter.since, filter.until)
        query = filter.query
        literals = QueryLiterals(filter.query?.literals, nil)
        clients = filter.clients.map { $0.map(NameKey.data) }
        session = filter.sessionId.map(NameKey.data)
        let isNever = if let since, let until { since >= until } else { false }
        isEmpty =
            isNever || scenarios?.isEmpty ?? false || levels?.isEmpty ?? false || names?.isEmpty ?? false
            || clients?.isEmpty ?? false
    }

    func contains(name: Data) -> Bool { names?.contains(name) ?? true }
    func contains(level: Int64) -> Bool { levels?.contains(level) ?? true }

    /// - Parameter scenario: nil for an event without a scenario.
    func contains(scenario: Data?) -> Bool {
        if scenarios == nil, scenarioPatterns.isEmpty { return true }
        guard let scenario, scenarios?.contains(scenario) ?? true else { return false }
        return scenarioPatterns.isEmpty || scenarioPatterns.contains { $0.matches(key: scenario) }
    }

    /// Whether every event of the matching clients and sessions matches if its time does.
    var isOfAnyKind: Bool {
        scenarios == nil && scenarioPatterns.isEmpty && levels == nil && names == nil && !needsEvents
    }

    /// Whether the events have to be read, because the summaries and numbers of a block do not decide.
    var needsEvents: Bool { query != nil }

    /// Whether the event fulfils the condition for which it has to be read.
    func contains(_ event: StoredEvent) -> Bool { query?.matches(event, in: context) ?? true }

    /// Whether all events of a cell fulfil that condition, or none; nil if it depends on the event.
    func matches(_ cell: QueryCell) -> Bool? { query.map { $0.matches(cell, in: context) } ?? true }

    /// The fields of that condition.
    var fields: Set<QueryField> { query?.fields ?? [] }

    /// Whether the words of a cell may decide on that condition.
    var usesWords: Bool { query?.usesWords ?? false }

    /// Keys of which a block's summary has one of each list, if events in it match.
    var keys: [[Data]] { [names, scenarios].compactMap { $0.map(Array.init) } }

    func contains(_ time: RelayTime) -> Bool {
        if let since, time < since { return false }
        if let until, time >= until { return false }
        return true
    }

    /// The seconds to which the times of matching events belong; nil for any.
    var seconds: ClosedRange<Int64>? {
        guard !isEmpty, since != nil || until != nil else { return nil }
        return (since?.seconds ?? .min)...(until?.seconds ?? .max)
    }

    /// Whether every time within these seconds matches.
    func covers(_ range: ClosedRange<Int64>) -> Bool {
        contains(RelayTime(seconds: range.lowerBound)) && contains(RelayTime(seconds: range.upperBound, nanoseconds: 999_999_999))
    }

    /// Whether every event of the block has one of the numbers, and its time matches.
    func covers(_ block: EventBlock, in numbers: ClosedRange<Int64>) -> Bool {
        numbers.contains(block.numbers.lowerBound) && numbers.contains(block.numbers.upperBound) && covers(block.seconds)
    }
}
