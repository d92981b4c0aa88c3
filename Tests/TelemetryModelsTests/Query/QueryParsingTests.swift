import Foundation
import TelemetryModels
import Testing

struct QueryParsingTests {
    private static let texts: [(text: String, expected: String)] = [
        ("", ""), (" \t\r\n", ""), ("*", "*"), ("a  b", "a b"), ("a AND b and c", "a b c"), ("a Or b", "a or b"),
        ("a b or c d", "a b or c d"), ("(a or b) c", "(a or b) c"), ("((a b)) (c)", "a b c"), ("not a", "-a"),
        ("NOT -a", "a"),
        ("- a", "-a"), ("!(a b)", "-(a b)"), ("-(-a)", "a"), ("not (a or b) or c", "-(a or b) or c"), ("!~\"a\"", "-~\"a\""),
        (#""a b""#, #""a b""#), (#""ab""#, "ab"), (#""a\"b\\c\d\\""#, #""a\"b\c\d\\""#), (#""""#, #""""#),
        (#""and""#, #""and""#),
        (#""-a""#, #""-a""#), ("card-declined", "card-declined"), ("a>=5", "a>=5"), ("10.0.0.1", "10.0.0.1"),
        ("time*", "time*"), ("*out", "*out"), ("*meou*", "*meou*"), (#"*"d decl"*"#, #"*"d decl"*"#), (#""a"*"#, "a*"),
        (#"*"-a""#, #"*"-a""#), (#"* "a""#, "* a"), ("name:retry", "name:retry"), ("name : retry", "name:retry"),
        (#""name":retry"#, "name:retry"), (#""odd key":x"#, #""odd key":x"#), ("attributes.name:x", "attributes.name:x"),
        ("attributes.status:x", "status:x"), (#""attributes.attributes.x":1"#, "attributes.attributes.x:1"),
        (#""":x"#, #""":x"#), (#""or":x"#, #""or":x"#), (#""-a":x"#, #""-a":x"#), ("name:-x", #"name:"-x""#),
        ("user:*", "user:*"),
        ("-user:*", "-user:*"), ("status:50*", "status:50*"), ("status:=503", "status:=503"),
        (#"status:="503""#, "status:=503"),
        ("a:=b*c", "a:=b*c"), ("a:=and", "a:=and"), ("a:==", "a:=="), (#"a:="b c""#, #"a:="b c""#), (#"a:="""#, #"a:="""#),
        ("a:in()", "a:in()"), (#"a:in( 1,"b c" , x:y )"#, #"a:in(1, "b c", x:y)"#), ("a:in(1)", "a:=1"), ("a:in", "a:in"),
        ("a:in (b)", "a:in b"), ("a:>5", "a:>5"), ("a:>= 5e2", "a:>=5e2"), ("a:<-1.50", "a:<-1.50"),
        ("a:<=2026-11-24", "a:<=2026-11-24"),
        ("time:>=2026-11-24T10:00:00Z", "time:>=2026-11-24T10:00:00Z"), ("time:<\"2026-11-24\"", "time:<2026-11-24"),
        ("severity:>=WARN", "severity:>=warning"), ("severity:<Fatal", "severity:<critical"), ("level:>info", "level:>info"),
        ("time:15m", "time:15m"), ("time:0s", "time:0s"), ("time:\"15m\"", "time:\"15m\""), ("time:2026*", "time:2026*"),
        ("time:2026", "time:\"2026\""), ("*\"\u{301}\"", "*\u{301}"), ("| stats sum(-a)", "| stats sum(-a)"),
        (#"text:~"time(d )?out""#, #"text:~"time(d )?out""#), (#"~"\d\\.""#, #"~"\d\.""#),
        ("|stats count()", "| stats count()"), ("| stats count( ) as n by a,time:1m", "| stats count() as n by a, time:1m"),
        ("a | stats quantile( 0.950 , x ), sum( \"odd key\" )", #"a | stats quantile(0.950,x), sum("odd key")"#),
        (
            "| stats count_distinct(a), avg(a), min(a), max(a), count(a)",
            "| stats count_distinct(a), avg(a), min(a), max(a), count(a)"
        ),
        ("| top 10 a", "| top a"), ("| top 3 a, time:1h", "| top 3 a, time:1h"), (#"| top "5""#, "| top 10 5"),
        ("| sort by a desc, b | limit 5", "| sort by a desc, b | limit 5"), ("| fields a , name", "| fields a, name"),
        ("| stats count() | sort by count() desc", #"| stats count() | sort by "count()" desc"#), ("|limit 0", "| limit 0"),
        ("| fields attributes.a, a", "| fields attributes.a, a"), ("| sort by by | limit 1", "| sort by by | limit 1"),
    ]

    @Test("The canonical text of a query", arguments: texts)
    func canonical(text: String, expected: String) throws {
        let query = try TelemetryQuery(text)
        #expect(query.description == expected)
        #expect(try TelemetryQuery(query.description) == query)
        #expect(query.hasPipes == text.contains("|"))
    }

    private static let invalid: [(text: String, offset: Int)] = [
        ("\"abc", 0), ("a \"b\\\"", 2), ("(a", 0), ("a (b (c) ", 2), ("a)", 1), ("()", 1), ("a (", 2), ("(a or", 0),
        ("a or", 4),
        ("or a", 0), ("a and or b", 6), ("a not", 5), ("-", 1), ("a -", 3), ("a, b", 1), (":a", 0), ("a b :", 5),
        ("name:", 5),
        ("name: )", 6), ("name:(a)", 5), ("name:and", 5), ("\"a\"b", 3), ("a\"b\"", 1), ("\"a\"\"b\"", 3), ("a*b", 0),
        ("**", 0),
        ("c a**", 2), ("a*b:c", 0), ("=5", 0), (">=5", 0), ("a <5", 2), ("~", 1), ("~abc", 1), ("a:~b", 3), ("a:=", 3),
        ("a:= )", 4),
        ("a:=b\"c\"", 4), ("a:=\"b\"c", 6), ("a:>", 3), ("status:>abc", 8), ("status:>=\"\"", 9), ("severity:>5", 10),
        ("level:>warning", 7), ("time:>5", 6), ("time:>2026-11-31", 6), ("time:15x", 5),
        ("time:99999999999999999999s", 5), ("a:in(1", 4), ("a:in(1,)", 7), ("a:in(1 2)", 7), ("a:~\"(\"", 3), ("a:~\"b", 3),
        ("a |", 3), ("a | | b", 4), ("a | foo", 4), ("| STATS count()", 2), ("| stats", 7), ("| stats foo(a)", 8),
        ("| stats count", 13),
        ("| stats count(", 13), ("| stats sum()", 12), ("| stats count(a b)", 16), ("| stats count() as", 18),
        ("| stats count() by", 18),
        ("| stats count() x", 16), ("| stats count(), count()", 17), ("| stats count() as a by a", 24),
        ("| stats count() as a, sum(x) as a", 32), (#"~"\B""#, 1), (#"~"\é""#, 1),
        ("| stats quantile(1.5, a)", 17), ("| stats quantile(x, a)", 17), ("| stats quantile(0.5 a)", 21),
        ("| stats quantile(0.5,", 16),
        ("| stats count() by time:1x", 24), ("| stats count() by time:0m", 24), ("| stats count() by time:", 24),
        ("| stats count() by a:1m", 20), ("| top", 5), ("| top 5", 7), ("| top a, a", 9), ("| top count", 6), ("| sort a", 7),
        ("| sort by", 9), ("| sort by a", 11), ("| sort by a | top b", 14), ("| sort by a |", 13), ("| limit", 7),
        ("| limit -1", 8),
        ("| limit a", 8), ("| limit 99999999999999999999", 8), ("| fields", 8), ("| fields a, a", 12), ("| fields a b", 11),
        ("| fields a*", 9), ("| limit 1 )", 10), ("é \"", 3),
    ]

    @Test("What is not a query is an error with its position", arguments: invalid)
    func errors(text: String, offset: Int) {
        let error = #expect(throws: TelemetryQueryError.self) { try TelemetryQuery(text) }
        #expect(error?.offset == offset, "\(error?.message ?? "")")
        #expect(error?.errorDescription == error?.message)
    }

    @Test("The limits of a query are those of the language")
    func limits() throws {
        func offset(_ text: String) -> Int? {
            do {
                _ = try TelemetryQuery(text)
                return nil
            } catch {
                return (error as? TelemetryQueryError)?.offset
            }
        }
        #expect(offset(String(repeating: "a", count: 4_096)) == nil)
        #expect(offset(String(repeating: "a", count: 4_097)) == 4_096)
        #expect(offset(String(repeating: "a ", count: 64)) == nil)
        #expect(offset(String(repeating: "a ", count: 65)) == 128)
        #expect(offset(String(repeating: "(", count: 16) + "a" + String(repeating: ")", count: 16)) == nil)
        #expect(offset(String(repeating: "(", count: 17) + "a" + String(repeating: ")", count: 17)) == 16)
        #expect(offset(String(repeating: "|limit 1", count: 8)) == nil)
        #expect(offset(String(repeating: "|limit 1", count: 9)) == 64)
        #expect(offset(String(repeating: "-", count: 4_095) + "a") == nil)
    }

    @Test("The canonical text of a long query can be parsed")
    func longest() throws {
        let expression = "~\"" + String(repeating: "\\d", count: 2_046) + "\""
        let names = "|fields " + (5_000..<5_817).map(String.init).joined(separator: ",")
        let top = "|top " + (1_000..<1_680).map { "a\($0)" }.joined(separator: ",")
        for text in [expression, names, top] {
            #expect((4_070...4_096).contains(text.utf8.count))
            let query = try TelemetryQuery(text)
            #expect(try TelemetryQuery(query.description) == query)
        }
    }

    @Test("Queries with two spellings of one character are different")
    func spellings() throws {
        #expect(try TelemetryQuery("\u{e9}") != TelemetryQuery("e\u{301}"))
        #expect(try TelemetryQuery("a b") == TelemetryQuery("a and \"b\""))
        #expect(try Set([TelemetryQuery("a"), TelemetryQuery("\"a\""), TelemetryQuery("")]).count == 2)
        #expect(try TelemetryQuery("") == .all)
    }

    @Test("A query is stored as its text")
    func stored() throws {
        let query = try TelemetryQuery("status : >=500 | top  name")
        let data = try JSONEncoder().encode([query])
        #expect(String(decoding: data, as: UTF8.self) == #"["status:>=500 | top name"]"#)
        #expect(try JSONDecoder().decode([TelemetryQuery].self, from: data) == [query])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([TelemetryQuery].self, from: Data(#"["("]"#.utf8)) }
    }
}
