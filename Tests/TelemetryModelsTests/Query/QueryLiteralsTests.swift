import Testing

@_spi(Tooling) @testable import TelemetryModels

struct QueryLiteralsTests {
    @Test(
        "What every matching event has in its bytes is known of words, whole values and keys, and of nothing else",
        arguments: [
            ("timeout", ["timeout"]), ("\"Card declined\"", ["declined"]), ("*imeou*", ["imeou"]), ("a_b:x", ["a_b"]),
            ("name:Retry", ["retry"]), ("text:\"a b\"", []), ("cart.opened", ["opened"]), ("10.0.0.1", []), ("T08", []),
            ("1e5", []), ("21T08", []), ("000Z", []), ("2e9t", []), ("x86_64", ["x86_64"]), ("\"node 4b7\"", ["node"]),
            ("a1", []),
            ("inf", []), ("nan", []), ("information", ["information"]), ("caf\u{e9}", ["caf"]), ("\u{212a}elvin", ["elvin"]),
            ("status:>=500", ["status"]), ("status:*", ["status"]), ("status:=503", ["status"]), ("s1:=503", []),
            ("user:=anna", ["anna"]), ("user:in(anna, bob)", ["anna|bob"]), ("user:in(anna, 7)", ["user"]),
            ("user:in()", ["user"]), ("user:=u4711", ["u4711"]), ("user:=1e50", ["user"]), ("user:=90s", ["90s"]),
            ("user:=-7k3", ["7k3"]),
            ("name:in(one, two)", ["one|two"]), ("name:=a", []), ("text:~\"timeout\"", []), ("user:~\"x\"", ["user"]),
            ("~\"timeout\"", []),
            ("client:web", []), ("session:=abcdef", []), ("scenario:=Checkout", []), ("severity:>=error", []), ("time:15m", []),
            ("app:beta", []), ("*", []), ("-timeout", []), ("not (timeout card)", []), ("timeout card", ["timeout", "card"]),
            ("timeout or card", ["timeout|card"]), ("timeout or status:>5", ["timeout|status"]), ("timeout or 503", []),
            ("(timeout card) or retry", ["timeout|retry"]), ("timeout -card user:=anna", ["timeout", "anna"]), ("", []),
        ])
    func clauses(text: String, expected: [String]) throws {
        let clauses = try TelemetryQuery(text).literals.clauses
        #expect(clauses.map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|") } == expected)
    }
}
