import Foundation
import TelemetryModels
import Testing

struct QueryResultTests {
    private typealias Value = TelemetryQueryResult.Value

    private static let start = Date(timeIntervalSince1970: 1_795_600_800)

    private static func event(
        _ number: Int, name: String = "request", seconds: TimeInterval = 0, session: String = "s",
        _ attributes: [String: TelemetryValue] = [:]
    ) -> TelemetryEvent {
        TelemetryEvent(
            eventId: "e-\(number)", clientId: "c", sessionId: session, sequence: UInt64(number), name: name,
            timestamp: start + seconds,
            threadId: "t", attributes: attributes)
    }

    private static let events = [
        event(0, seconds: 0, ["status": 200, "duration": 1]), event(1, seconds: 30, ["status": 503, "duration": 2.5]),
        event(2, name: "retry", seconds: 60, ["status": "503", "duration": "4"]),
        event(3, name: "retry", seconds: 90, ["duration": true]),
        event(4, name: "open", seconds: 3_600, ["status": 1_000, "at": .date(start), "duration": -3]),
    ]

    private static func rows(_ text: String, over events: [TelemetryEvent] = events) throws -> [[Value]] {
        try TelemetryQuery(text).result(over: events, now: start + 3_600).rows
    }

    private static func names(_ text: String) throws -> [String] {
        try TelemetryQuery(text).result(over: events, now: start + 3_600).events.map(\.eventId)
    }

    @Test("Without stats, top and fields, rows are events in the order of arrival")
    func eventRows() throws {
        let result = try TelemetryQuery("status:* | limit 2").result(over: Self.events)
        #expect(result.events.map(\.eventId) == ["e-0", "e-1"])
        #expect(result.columns.isEmpty && result.rows.isEmpty)
        #expect(result.matched == 4)
        #expect(try Self.names("time:55m") == ["e-4"])
        #expect(try Self.names("| limit 3 | limit 0").isEmpty)
    }

    @Test("Sorted events: numbers before dates before texts, missing values last, equal ones in the order before")
    func sorted() throws {
        #expect(try Self.names("| sort by status | limit 9") == ["e-0", "e-1", "e-2", "e-4", "e-3"])
        #expect(try Self.names("| sort by status desc | limit 9") == ["e-4", "e-1", "e-2", "e-0", "e-3"])
        #expect(try Self.names("| sort by duration | limit 9") == ["e-4", "e-0", "e-1", "e-2", "e-3"])
        #expect(try Self.names("| sort by name, time desc | limit 3") == ["e-4", "e-1", "e-0"])
        #expect(try Self.names("| limit 3 | sort by time desc | limit 2 | limit 1") == ["e-2"])
        #expect(try Self.names("| sort by time desc | limit 3 | sort by time | limit 1") == ["e-2"])
        #expect(try Self.names("| sort by time | limit 0").isEmpty)
        let mixed = [
            Self.event(0, ["v": "b"]), Self.event(1, ["v": .date(Self.start)]), Self.event(2, ["v": "10"]),
            Self.event(3, ["v": 9.5]),
        ]
        let result = try TelemetryQuery("| sort by v | limit 9").result(
            over: mixed + [Self.event(4), Self.event(5, ["v": false])])
        #expect(result.events.map(\.sequence) == [3, 2, 1, 0, 5, 4])
    }

    @Test("Severities and levels are sorted by their order")
    func severities() throws {
        let events = ["error", "debug", "WARN", "trace"].enumerated().map { Self.event($0, ["severity": .string($1)]) }
        let result = try TelemetryQuery("| sort by severity desc | limit 9").result(over: events)
        #expect(result.events.map(\.sequence) == [0, 2, 1, 3])
        #expect(
            try Self.rows("| stats count() by severity | sort by severity desc", over: events).map(\.[0])
                == [.string("error"), .string("warning"), .string("debug"), .string("trace")])
    }

    @Test("Every function, over all events and over none")
    func functions() throws {
        let functions = """
            count(), count(status), count_distinct(status), sum(duration), avg(duration), min(duration), max(duration), \
            quantile(0.5, duration), min(time), max(at), sum(at), quantile(0, duration), quantile(1, duration)
            """
        let result = try TelemetryQuery("| stats \(functions)").result(over: Self.events)
        #expect(result.columns == functions.replacing(", duration", with: ",duration").split(separator: ", ").map(String.init))
        #expect(
            result.rows == [
                [
                    .int(5), .int(4), .int(3), .double(4.5), .double(1.125), .int(-3), .int(4), .int(1), .date(Self.start),
                    .date(Self.start),
                    .int(0), .int(-3), .int(4),
                ]
            ])
        let empty = try Self.rows("nothing | stats \(functions)")
        #expect(
            empty == [[.int(0), .int(0), .int(0), .int(0), .null, .null, .null, .null, .null, .null, .int(0), .null, .null]])
        #expect(try Self.rows("nothing | stats count() by name").isEmpty)
    }

    @Test("Groups come ordered by their keys: numbers, texts, missing; their keys are strings")
    func groups() throws {
        let result = try TelemetryQuery("| stats count() as n, sum(duration) by status, name").result(over: Self.events)
        #expect(result.columns == ["status", "name", "n", "sum(duration)"])
        #expect(
            result.rows == [
                [.string("200"), .string("request"), .int(1), .int(1)],
                [.string("503"), .string("request"), .int(1), .double(2.5)],
                [.string("503"), .string("retry"), .int(1), .int(4)], [.string("1000"), .string("open"), .int(1), .int(-3)],
                [.null, .string("retry"), .int(1), .int(0)],
            ])
    }

    @Test("A span of time begins at a multiple of its size since 1970")
    func buckets() throws {
        let hour = Self.start.timeIntervalSince1970 / 3_600
        #expect(hour == hour.rounded())
        #expect(
            try Self.rows("| stats count() by time:1m")
                == [[.date(Self.start), .int(2)], [.date(Self.start + 60), .int(2)], [.date(Self.start + 3_600), .int(1)]])
        let early = [
            Date(timeIntervalSince1970: -0.25), Date(timeIntervalSince1970: 59.999_999_9), Date(timeIntervalSince1970: 60),
        ].map {
            TelemetryEvent(sessionId: "s", name: "n", timestamp: $0)
        }
        #expect(
            try Self.rows("| stats count() by time:1m", over: early).map(\.[0])
                == [-60, 0, 60].map { .date(Date(timeIntervalSince1970: $0)) })
    }

    @Test("top counts, sorts and limits")
    func top() throws {
        let result = try TelemetryQuery("| top 2 name").result(over: Self.events)
        #expect(result.columns == ["name", "count"])
        #expect(result.rows == [[.string("request"), .int(2)], [.string("retry"), .int(2)]])
        let same = try TelemetryQuery("| stats count() as count by name | sort by count desc, name | limit 2").result(
            over: Self.events)
        #expect(result == same)
        #expect(try Self.rows("| top name").count == 3)
    }

    @Test("fields gives columns with the values' types")
    func fields() throws {
        let result = try TelemetryQuery("| limit 4 | fields sequence, status, duration, time, level, nothing").result(
            over: Self.events)
        #expect(result.columns == ["sequence", "status", "duration", "time", "level", "nothing"])
        #expect(result.events.isEmpty)
        #expect(
            result.rows[2...] == [
                [.int(2), .string("503"), .string("4"), .date(Self.start + 60), .string("info"), .null],
                [.int(3), .null, .bool(true), .date(Self.start + 90), .string("info"), .null],
            ])
    }

    @Test("A pipe reads the columns of the table before it, which it may name as they are written")
    func chained() throws {
        #expect(
            try Self.rows(
                "| stats count() by name, time:1m | stats sum(count()) as n, count() by name | sort by n desc | limit 1")
                == [[.string("request"), .int(2), .int(1)]])
        #expect(try Self.rows("| stats count() by time:1m | sort by time:1m desc | limit 1 | fields count()") == [[.int(1)]])
        #expect(try Self.rows("| stats count() by time:1m | stats sum(count()) by time:1h").map(\.[1]) == [.int(4), .int(1)])
        #expect(try Self.rows("| stats count() by time:1m | sort by time desc | limit 1").map(\.[1]) == [.int(1)])
        #expect(try Self.rows("| fields name | top 1 name") == [[.string("request"), .int(2)]])
        #expect(try Self.rows("| fields status, name | sort by status desc | limit 1") == [[.int(1_000), .string("open")]])
    }

    @Test("Functions do not depend on the order of the values")
    func orders() throws {
        let values: [[TelemetryValue]] = [
            [12, "12.0"], [3, 3.0], [.double(-0.0), 0.0], [0.0, .double(-0.0), 0],
            [2.5, .double(1e16), .double(9_007_199_254_740_992)],
            [.int(9_007_199_254_740_993), .double(1e-5)],
        ]
        for values in values {
            let text = "| stats sum(v), avg(v), min(v), max(v), quantile(0.5, v)"
            let (forwards, backwards) = try (
                Self.rows(text, over: values.enumerated().map { Self.event($0, ["v": $1]) }),
                Self.rows(text, over: values.reversed().enumerated().map { Self.event($0, ["v": $1]) })
            )
            #expect("\(forwards)" == "\(backwards)")
        }
        let halves = [2.5, 1e16, 9_007_199_254_740_992].enumerated().map { Self.event($0, ["v": .double($1)]) }
        #expect(try Self.rows("| stats sum(v)", over: halves) == [[.double(19_007_199_254_740_996)]])
        let mixed = [Self.event(0, ["v": .int(9_007_199_254_740_993)]), Self.event(1, ["v": 1e-5])]
        #expect(try Self.rows("| stats sum(v)", over: mixed) == [[.double(9_007_199_254_740_994)]])
    }

    @Test("Columns are found by their exact names")
    func exactColumns() throws {
        #expect(try Self.rows("| stats count() as status, max(sequence) as attributes.status | fields status") == [[.int(5)]])
        #expect(try Self.rows(#"| stats sum(-a) | fields "sum(-a)""#) == [[.int(0)]])
    }

    @Test("A sum beyond 64 bits is a double, and a sum of doubles does not depend on their order")
    func sums() throws {
        let large = [Int64.max, 1, -2].enumerated().map { Self.event($0, ["v": .int($1)]) }
        #expect(try Self.rows("| stats sum(v)", over: large) == [[.int(.max - 1)]])
        #expect(try Self.rows("| limit 2 | stats sum(v)", over: large) == [[.double(0x1p63)]])
        let values = [1e100, 1, -1e100, 0.1, 0.2, 1e-30]
        for order in [values, values.reversed(), values.sorted()] {
            let events = order.enumerated().map { Self.event($0, ["v": .double($1)]) }
            #expect(try Self.rows("| stats sum(v)", over: events) == [[.double(1.3)]])
        }
        let infinite = [1.7e308, 1.7e308, 1].enumerated().map { Self.event($0, ["v": .double($1)]) }
        #expect(try Self.rows("| stats sum(v)", over: infinite) == [[.double(.infinity)]])
    }

    @Test("A quantile is the nearest rank: exact up to 100,000 values, and within 1 % beyond")
    func quantiles() throws {
        let hundred = (1...100).map { Self.event($0, ["v": .int(Int64($0))]) }
        for percent in 1...99 {
            let share = Double(percent) / 100
            #expect(try Self.rows("| stats quantile(\(share), v)", over: hundred) == [[.int(Int64(percent))]])
        }
        let many = (0..<100_001).lazy.map { Self.event($0, ["v": .double(Double($0 - 50_000) * 1.5)]) }
        for share in [0, 0.01, 0.25, 0.5, 0.75, 0.999, 1] {
            let rows = try TelemetryQuery("| stats quantile(\(share), v)").result(over: many).rows
            let exact = (max(1, (share * 100_001).rounded(.up)) - 1 - 50_000) * 1.5
            guard case .double(let value)? = rows.first?.first else {
                #expect(rows == [[.int(0)]] && exact == 0)
                continue
            }
            #expect(abs(value - exact) <= abs(exact) * 0.01, "\(share)")
        }
    }

    @Test("Strings that are canonically equivalent are different values")
    func spellings() throws {
        let events = ["\u{e9}", "e\u{301}"].enumerated().map { Self.event($0, ["v": .string($1)]) }
        #expect(try Self.rows("| stats count_distinct(v)", over: events) == [[.int(2)]])
        #expect(try Self.rows("| stats count() by v", over: events).count == 2)
    }

    @Test("Past a limit of the language a query fails")
    func limits() throws {
        func fails(_ text: String, _ count: Int) -> Bool {
            let events = (0..<count).lazy.map { Self.event($0, ["v": .int(Int64($0))]) }
            return (try? TelemetryQuery(text).result(over: events)) == nil
        }
        #expect(!fails("| stats count() by v", 100_000))
        #expect(fails("| stats count() by v", 100_001))
        #expect(!fails("| sort by v | limit 20000", 10_000))
        #expect(fails("| sort by v | limit 20000", 10_001))
        #expect(!fails("| sort by v desc | limit 10000", 20_001))
        #expect(!fails("| fields v | sort by v | limit 20000", 20_001))
        #expect(fails("| stats count_distinct(v)", 1_000_001))
    }
}
