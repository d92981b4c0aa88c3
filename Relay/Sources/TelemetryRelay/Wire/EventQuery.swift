@_spi(Tooling) import TelemetryModels

/// The parsed query of an event request.
struct EventQuery {
    static let filters: Set = ["client", "session", "scenario", "level", "name", "since", "until", "query"]

    /// The requested filter, before it is narrowed to the caller's clients.
    var filter: RelayEventFilter
    var after: RelayEventCursor?
    var limit: Int
    var wait: Duration
    var order: RelayEventOrder
    /// Whether the query has a filter.
    let hasFilter: Bool
    /// `all=true`.
    let isForAll: Bool

    init(_ query: QueryParameters, limits: RelayLimits) throws(Problem) {
        filter = try Self.filter(query)
        hasFilter = Self.filters.contains { query.contains($0) }
        after = try query.single("after").map { RelayEventCursor(rawValue: $0) }
        limit = try query.number("limit", 1...limits.page) ?? min(Self.defaultLimit, limits.page)
        wait = .seconds(try query.number("wait", 0...limits.waitSeconds) ?? 0)
        order = try query.order() ?? .ascending
        isForAll = try query.flag("all")
        guard order == .ascending || !query.contains("wait") else {
            throw .invalidArgument("wait requires order=asc.")
        }
        guard !isForAll || !hasFilter else { throw .invalidArgument("all=true cannot be combined with filters.") }
    }

    private static let defaultLimit = 100

    private static func filter(_ query: QueryParameters) throws(Problem) -> RelayEventFilter {
        var filter = RelayEventFilter()
        if let client = try query.single("client") {
            try ClientIdentifier.check(client, place: "client")
            filter.clients = [client]
        }
        filter.sessionId = try query.single("session")
        filter.scenarios = query.all("scenario").map(Set.init)
        filter.names = query.all("name").map(Set.init)
        filter.levels = try query.all("level").map { texts throws(Problem) in try levels(texts) }
        filter.since = try time(query, "since")
        filter.until = try time(query, "until")
        filter.query = try query.single("query").map { text throws(Problem) in
            do {
                return try TelemetryQuery(filter: text)
            } catch {
                throw Problem(query: error)
            }
        }
        return filter
    }

    static func levels(_ texts: [String]) throws(Problem) -> Set<TelemetryLogLevel> {
        var levels: Set<TelemetryLogLevel> = []
        for text in texts {
            guard let level = TelemetryLogLevel(rawValue: text) else {
                throw .invalidArgument("level must be one of \(WireEventFields.levels).")
            }
            levels.insert(level)
        }
        return levels
    }

    static func time(_ query: QueryParameters, _ name: String) throws(Problem) -> RelayTime? {
        guard let text = try query.single(name) else { return nil }
        return try time(text, name)
    }

    static func time(_ text: String, _ name: String) throws(Problem) -> RelayTime {
        // An unencoded plus sign is decoded as a space.
        guard let time = WireTime.normalized(text.replacing(" 00:00", with: "+00:00")).flatMap({ RelayTime($0) }) else {
            throw .invalidArgument("\(name) must be an RFC 3339 time in UTC.")
        }
        return time
    }
}
