@_spi(Tooling) import TelemetryTestKit
import Testing

@_spi(Tooling) @testable import TelemetryLogging

/// Which parts of a string are recognized.
struct PatternScannerTests {
    typealias Pattern = TelemetryRedaction.Pattern

    /// The text with each match in brackets.
    private func marked(_ text: String, _ patterns: Set<Pattern> = Set(Pattern.allCases)) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var end = 0
        for match in PatternScanner(patterns).matches(in: text) {
            result += bytes[end..<match.range.lowerBound] + "[".utf8 + bytes[match.range] + "]".utf8
            end = match.range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// The text without brackets.
    private func unmarked(_ text: String) -> String { text.filter { $0 != "[" && $0 != "]" } }

    @Test(
        "Email addresses",
        arguments: [
            "[a.b+c@example.com]", "mail to <[a@b.co]>, please", "email=[x_y@mail.example.org].", "\"[a@b.de]\"",
            "'[o'hara@b.ie]'",
            "[jörg@exämple.de]", "[a@b.c] [d@e.f]", "[a@b.c],[d@e.f]", "user:[pw@example.com]", "([a-b@c-d.example])", "[a@b.c]-",
            "“[user@example.com]”", "请联系[user@example.com]谢谢", "[a@b.xn--p1ai]", "[κ@λόγος.gr]", "[a@b.co].uk1",
        ])
    func emails(marked expected: String) {
        #expect(marked(unmarked(expected), [.emailAddress]) == expected)
    }

    @Test(
        "What only resembles an email address stays",
        arguments: [
            "@", "a@", "@b.c", "a@b", "a@.b", "a@b..c", "a @b.c", "a@ b.c", "@@@", "a@-b.c", "@available(macOS 10.15)",
            "AppIcon60x60@2x.png", "swift-log@1.5.3", "React@18.2.0",
        ])
    func noEmails(_ text: String) { #expect(marked(text, [.emailAddress]) == text) }

    @Test(
        "Bearer tokens",
        arguments: [
            "Authorization: Bearer [abcdefgh]", "bearer [A1-._~+/=B2]", "BEARER: [12345678]", "bearer=[12345678]",
            "\"Bearer\": \"[12345678]\"",
            "Bearer [12345678], Bearer [abcdefgh]", "Bearer Bearer [12345678]", "“Bearer [abcdefgh12345]”", "Bearer\t[abcdefgh1]",
            ##"{\"bearer\":\"[abcdefgh12345]\"}"##, "Bearer%20[abcdefgh1]", "Bearer token: [abcdef123456789]",
            "→Bearer [12345678]", "Bearer\u{A0}[12345678]",
        ])
    func bearers(marked expected: String) {
        #expect(marked(unmarked(expected), [.bearerToken]) == expected)
    }

    @Test(
        "The word Bearer without a token stays",
        arguments: ["Bearer", "Bearer ", "Bearer 1234567", "overbearer 12345678", "bearers 12345678", "b", "bear", "Bearer\n"])
    func noBearers(_ text: String) { #expect(marked(text, [.bearerToken]) == text) }

    @Test(
        "JSON Web Tokens",
        arguments: [
            "[eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln]", "token=[eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln]&x",
            "session-[eyJhbGciOi.a.b]",
            "[eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0].", "[eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.s]. Next",
            "a.b [eyJhbGciOi.a.b.c.d].e",
            "([eyJhbGciOi..b])", "x_[eyJhbGciOi.a.b]",
        ])
    func webTokens(marked expected: String) {
        #expect(marked(unmarked(expected), [.jsonWebToken]) == expected)
    }

    @Test(
        "What only resembles a JSON Web Token stays",
        arguments: [
            "eyJ", "eyJ.a", "eyJ a.b", "a.b.c", "...", "ey.J.a", "Jye.a.b", "surveyJob.queue.depth=3",
            "KeyJSONCoder.decode.failed", "eyJ.a.b", "MoneyJarCompany.swift.orig",
        ])
    func noWebTokens(_ text: String) { #expect(marked(text, [.jsonWebToken]) == text) }

    @Test(
        "Card numbers",
        arguments: [
            "[4111111111111111]", "[4111 1111 1111 1111]", "[5555-5555-5555-4444]", "card:[378282246310005],",
            "[3782 822463 10005]",
            "[30569309025904]", "[6011111111111117]", "[3530111333300000]", "[2223003122003222]", "[4222222222222]",
            "[6304000000000000000]",
            "12 [4111 1111 1111 1111] 123", "[4111 1111 1111 1111] 12/27", "[4111111111111111].", "card_[4111111111111111]",
            "[4111 1111 1111 1111], [5555 5555 5555 4444]", "x 123 [4111111111111111]", "“[4111111111111111]”",
            "card\u{A0}[4111111111111111]", "[4111\u{A0}1111\u{A0}1111\u{A0}1111]", "[4111–1111–1111–1111]",
            "卡号[4111111111111111]：", #"\n[4111111111111111]\n"#, "x%3D[4111111111111111]%26", "[4111111111111111]€",
        ])
    func cards(marked expected: String) {
        #expect(marked(unmarked(expected), [.creditCard]) == expected)
    }

    @Test(
        "Numbers that are not card numbers stay",
        arguments: [
            "4111111111111112", "411111111111", "41111111111111111111", "4111  1111 1111 1111", "4111--1111-1111-1111",
            "1732600000004",
            "0.4111111111111111", "4111111111111111.5", "a4111111111111111", "4111111111111111f", "41 11 11 11 11 11 11 11",
            "7111111111111113",
            "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "2024-11-28 10:11:12.123", "4111", "", "20241128101116", "log-20241128-101116.txt",
            "4111.1111.1111.1111",
        ])
    func noCards(_ text: String) { #expect(marked(text, [.creditCard]) == text) }

    @Test(
        "IP addresses",
        arguments: [
            "[192.168.0.1]", "from [10.0.0.1]:8080.", "[255.255.255.255],[0.0.0.0]", "to [8.8.8.8].", "[2001:db8:0:0:0:0:0:1]",
            "[2001:db8::1]",
            "[::1]", "from [fe80::1]%eth0", "([::ffff:192.0.2.1])", "[1:2:3:4:5:6:7:8]", "[1::]", "http://{[2001:DB8::ABCD]}:80",
            "[1:2:3:4:5:6:1.2.3.4]", "IPv6=[2001:db8::1]:51234", "to [2001:db8:1:2:a:b:c:d]:443", "peer:[2001:db8::1]",
            "“[10.0.0.1]”", "IP：[10.0.0.1]",
        ])
    func addresses(marked expected: String) {
        #expect(marked(unmarked(expected), [.ipAddress]) == expected)
    }

    @Test(
        "What only resembles an IP address stays",
        arguments: [
            "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.1000", "v1.2.3.4", "1.2.3.4a", "12:34:56", "2024-11-28T10:11:12",
            "00:1a:2b:3c:4d:5e", "::",
            "a:b", "std::string", ":::", "Foo::bar()", "10.5", ":", "12345::1",
            "1:2:3:4:5:6:7::8",
        ])
    func noAddresses(_ text: String) { #expect(marked(text, [.ipAddress]) == text) }

    @Test(
        "Credentials of URLs",
        arguments: [
            "https://[user:secret]@example.com/path", "postgres://[me]@db/x", "ftp://[a:b@c]@host.",
            "<http://[u:p]@h> http://[v:q]@h", "postgres://[me:pa'ss]@db/x", "postgres://[u:p^ss|{]@db/x", "'ftp://[a:b]@h/'",
            #"{"url":"postgres:\/\/[me:p$ss]@db\/x"}"#,
        ])
    func credentials(marked expected: String) {
        #expect(marked(unmarked(expected), [.urlCredentials]) == expected)
    }

    @Test(
        "URLs without credentials stay",
        arguments: ["https://example.com/@me", "://a@b", "a:b@c", "https://@host", "https://h?u@v", "https://h #a@b", "http://"])
    func noCredentials(_ text: String) { #expect(marked(text, [.urlCredentials]) == text) }

    @Test(
        "Queries and fragments of URLs",
        arguments: [
            "https://example.com/a?[b=c&d=e#f]", "(https://example.com/#[part)] x", "GET /login?[password=secret] HTTP/1.1",
            "\"/a?[b]\"", "https://h?[a?b] and https://h?[c]", "https://u:p@h/x?[token=1]",
            "https://h/s?[name=o'hara&token=SECRET]", "'https://h/s?[a=b]' c", "`/x?[a]`",
            "GET /s?[filter={%22a%22:1}&token=SECRET]", "/s?[q=a|b&token=SECRET]", #""/x?[a=1\u0026token=SECRET]""#,
            "method=GET path=/callback?[code=SECRETCODE]", "(/login?[token=SECRET)]", "GET,/login?[token=SECRET,200]",
            #"\"https:\/\/h\/x?[a]\""#,
        ])
    func queries(marked expected: String) {
        #expect(marked(unmarked(expected), [.urlQuery]) == expected)
    }

    @Test(
        "Other question marks and number signs stay",
        arguments: ["why?", "what?not", "#1", "a#b", "/x?", "is it /x ?a", "color:#fff", "? ?", "and/or?maybe", "a/b?c", "./x?y"])
    func noQueries(_ text: String) { #expect(marked(text, [.urlQuery]) == text) }

    @Test("All patterns are recognized side by side, and matches do not overlap")
    func together() {
        #expect(
            marked("a@b.c https://u:p@h.com/x@y.z?q=1 Bearer eyJhbGciOi.eyJh.sig 4111 1111 1111 1111 10.0.0.1")
                == "[a@b.c] https://[u:p]@h.com/[x@y.z]?[q=1] Bearer [eyJhbGciOi.eyJh.sig] [4111 1111 1111 1111] [10.0.0.1]")
    }

    @Test("What extends beyond another match is recognized to its end")
    func overlapping() {
        #expect(marked("https://h/?card=4111 1111 1111 1111 x") == "https://h/?[card=4111][ 1111 1111 1111] x")
        #expect(marked("https://h/?x=Bearer abcdefgh-1 x") == "https://h/?[x=Bearer] [abcdefgh-1] x")
    }

    @Test("A pattern that is not configured is not recognized", arguments: Pattern.allCases)
    func alone(_ pattern: Pattern) {
        let texts: [Pattern: String] = [
            .emailAddress: "a@b.c", .bearerToken: "Bearer 12345678", .jsonWebToken: "eyJhbGciOi.eyJh.sig",
            .creditCard: "4111111111111111",
            .ipAddress: "10.0.0.1 ::1", .urlCredentials: "https://u:p@h", .urlQuery: "https://h/?q=1",
        ]
        for (other, text) in texts {
            #expect((marked(text, [pattern]) == text) == (other != pattern), "\(text) as \(pattern)")
        }
    }

    @Test("A string is cut only between characters, and everything but the matches stays")
    func random() {
        var generator = SeededGenerator(seed: 4_711)
        let parts = [
            "a", "@", ".", "b", ":", "//", "1", "4111", " ", "-", "eyJ", "Bearer ", "?", "#", "/", "é", "👩‍🚀", "::", "10.0.0.1",
            "@b.c", "\n", "_",
        ]
        let scanner = PatternScanner(Set(Pattern.allCases))
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0...24, using: &generator)).map { _ in parts.randomElement(using: &generator) ?? "" }
                .joined()
            let bytes = Array(text.utf8)
            var end = 0
            for match in scanner.matches(in: text) {
                #expect(
                    match.range.lowerBound >= end && match.range.count > 0 && match.range.upperBound <= bytes.count, "\(text)")
                #expect(String(validating: bytes[match.range], as: UTF8.self) != nil, "\(text)")
                #expect(String(validating: bytes[end..<match.range.lowerBound], as: UTF8.self) != nil, "\(text)")
                end = match.range.upperBound
            }
        }
    }

    @Test(
        "The time is linear: a long string of what begins a pattern takes about as many steps as bytes",
        arguments: [
            "@", "a@", ".", "eyJ.", "eyJ", "eyJhbGciOi.", "a.", "1", "1 ", "123 ", "4111 ", ":", "::", "a:", "1:", "?", "/?",
            "a?", "b",
            "bearer ", "bearer=", "/?a@", "://", "a://", "1.", "-",
        ])
    func linear(_ part: String) {
        let scanner = PatternScanner(Set(Pattern.allCases))
        let text = String(repeating: part, count: 1 << 16 / part.utf8.count)
        // Quadratic time would be minutes.
        #expect(scanner.matches(in: text).count <= text.utf8.count)
    }
}
