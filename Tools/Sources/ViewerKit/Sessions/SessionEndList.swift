@_spi(Tooling) public import TelemetryModels

/// The list of sessions that ended without a shutdown.
public struct SessionEndList {
    /// A session, and the number of its events in the minute before its end.
    public typealias Row = (session: SessionEnd, lastEvents: Int)

    private let rows: [Row]

    public init(_ rows: [Row]) { self.rows = rows }

    /// The query for the sessions that ended last.
    public static func query(limit: Int) throws -> TelemetryQuery {
        try TelemetryQuery("\(SessionEnd.filter) | sort by lastActive desc, time desc | limit \(limit)")
    }

    /// The query for the reports of sessions whose identifiers begin with a text.
    public static func query(prefix: String, limit: Int) throws -> TelemetryQuery {
        let literal = prefix.unicodeScalars.map {
            $0.isASCII && !$0.properties.isAlphabetic && !("0"..."9" ~= $0) ? "\\\($0)" : "\($0)"
        }
        let pattern = EventField.quoted("^" + literal.joined())
        return try TelemetryQuery(
            "\(SessionEnd.filter) attributes.session:~\(pattern) | sort by attributes.session | limit \(limit)")
    }

    /// The query for the numbers of sessions by version and end.
    public static func counts() throws -> TelemetryQuery {
        try TelemetryQuery("\(SessionEnd.filter) | top 20 appVersion, end, signal")
    }

    /// The table of the answer to ``counts()``.
    public static func table(counts: TelemetryQueryResult) -> Table {
        // A column without values would be one of numbers.
        let rows = counts.rows.map { $0.map { $0 == .null ? .string("–") : $0 } }
        return QueryTable(TelemetryQueryResult(columns: ["version", "end", "signal", "sessions"], rows: rows)).table
    }

    public func table(_ aliases: ClientAliases) -> Table {
        var table = Table([
            .whole("when", priority: 9), .text("client", priority: 6), .text("version", priority: 5), .text("end", priority: 3),
            .text("signal", priority: 7), .number("last minute", priority: 4), .text("session", priority: 8),
        ])
        let time = TimeText()
        for (end, lastEvents) in rows {
            table.add([
                .init(time.dayAndSecond(end.date)), .init(end.report.clientId.map(aliases.label) ?? "–"),
                .init(end.appVersion ?? "–"), .init(end.end), .init(end.signal ?? "–"), .init(lastEvents.grouped),
                .init(end.session),
            ])
        }
        return table
    }

    /// The rows for programs.
    public var values: QueryTable {
        func value(_ text: String?) -> TelemetryQueryResult.Value { text.map { .string($0) } ?? .null }
        return QueryTable(
            TelemetryQueryResult(
                columns: ["lastActive", "clientid", "appVersion", "end", "signal", "lastMinute", "session"],
                rows: rows.map { end, lastEvents in
                    [
                        .date(end.date), value(end.report.clientId), value(end.appVersion), .string(end.end), value(end.signal),
                        .int(Int64(lastEvents)), .string(end.session),
                    ]
                }))
    }
}
