import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@_spi(Tooling) @testable import TelemetryModels

struct QueryPatternTests {
    private typealias Row = (pattern: String, matching: [String], others: [String])

    private func matches(_ pattern: QueryPattern, _ text: some Sequence<UInt8>) -> Bool {
        Array(text).withUnsafeBufferPointer { pattern.matches($0, in: QueryContext(now: .distantPast)) }
    }

    private func check(_ rows: [Row]) throws {
        for row in rows {
            let pattern = try QueryPattern(row.pattern)
            for text in row.matching { #expect(matches(pattern, text.utf8), "\(row.pattern) and \(text.debugDescription)") }
            for text in row.others { #expect(!matches(pattern, text.utf8), "\(row.pattern) and \(text.debugDescription)") }
        }
    }

    @Test("An expression matches somewhere in a text")
    func syntax() throws {
        try check([
            ("time(d )?out", ["timeout", "a timed out call"], ["", "time d out", "timeou", "Timeout"]),
            ("", ["", "a"], []), ("a", ["a", "bab"], ["", "b"]), (".", ["a", "\r", "\u{1f600}", "\u{2028}"], ["", "\n"]),
            ("a.c", ["abc", "a\u{1f600}c"], ["a\nc", "ac"]), ("a|b|", ["", "a", "c"], []), ("(|a)b", ["b", "ab"], ["a"]),
            ("^(?:a|bc|)$", ["", "a", "bc"], ["b", "abc"]), ("ab?c", ["ac", "abc"], ["abbc"]), ("ab*c", ["ac", "abbc"], ["adc"]),
            ("ab+c", ["abc", "abbc"], ["ac"]), ("ab??c", ["ac", "abc"], ["abbc"]), ("ab*?c", ["ac", "abbc"], ["adc"]),
            ("ab+?c", ["abc", "abbc"], ["ac"]), ("a{2}", ["aa", "baab"], ["aba"]), ("^a{2,3}$", ["aa", "aaa"], ["a", "aaaa"]),
            ("^(ab){0,2}?$", ["", "abab"], ["aba", "ababab"]), ("^a{0}$", [""], ["a"]), ("^a{00,002}$", ["", "aa"], ["aaa"]),
            ("^a{100}$", [String(repeating: "a", count: 100)], [String(repeating: "a", count: 99)]),
            ("a}]-", ["a}]-"], ["a}]"]), ("\\(\\.\\{\\_\\\u{2014}", ["(.{_\u{2014}"], ["(x{_\u{2014}"]),
            ("\\n\\r\\t", ["\n\r\t"], ["nrt"]), ("\u{e9}", ["caf\u{e9}"], ["cafe\u{301}", "caf\u{c9}"]),
        ])
    }

    @Test("Assertions apply to the ends of the whole text and to ASCII words")
    func assertions() throws {
        try check([
            ("^a", ["ab"], ["ba", "b\na"]), ("a$", ["ba"], ["ab", "a\n"]), ("^$", [""], ["a", "\n"]), ("^|b", ["", "a"], []),
            ("a^", [], ["a", "aa"]), ("$a", [], ["a"]), ("(^|x)*a", ["ba", "xa"], ["b"]), ("^(^|x)*a", ["xxa"], ["ya"]),
            ("^(\\b|a)+$", ["aa"], ["b", ""]), ("(a|$)+b", ["ab"], ["b"]), ("(^a|b$)+c?$", ["a", "cb"], ["bc", "ca"]),
            ("\\ba\\b", ["a", "b a.", "\u{e9}a\u{e9}"], ["ba", "a_", "1a"]), ("\\b", ["a"], ["", " ", "\u{e9}"]),
            ("(^)*(?:$)?a(\\b){2}", ["a"], ["ab"]),
        ])
    }

    @Test("A class matches one of its scalars")
    func classes() throws {
        try check([
            ("^[abc]$", ["a", "c"], ["d", ""]), ("[a-c\u{e9}-\u{eb}]", ["b", "\u{ea}"], ["d", "\u{e8}", "-"]),
            ("[^a]", ["b", "\n", "\u{e9}"], ["a", ""]), ("^[^a-z\u{e9}]$", ["A", "\u{ea}"], ["q", "\u{e9}"]),
            ("[-a]", ["-", "a"], ["b"]), ("[a-]", ["-", "a"], ["b"]), ("[-]", ["-"], ["a"]), ("[^-]", ["a"], ["-"]),
            ("^[a-c-e]$", ["b", "-", "e"], ["d"]), ("[+--]", ["+", ",", "-"], ["."]), ("[a^]", ["^"], ["b"]),
            ("^[[.(*?+{|$]$", ["[", ".", "(", "*", "{", "|", "$"], ["]", "a"]), ("[\\]\\\\\\-]", ["]", "\\", "-"], ["["]),
            ("[\\n\\t]", ["\n", "\t"], ["n", "t", "\r"]), ("[\\d_]", ["7", "_"], ["a", "\u{663}"]),
            ("[\\D]", ["a", "\u{663}"], ["7"]), ("[^\\D]", ["7"], ["a", "\u{e9}"]),
            ("[^\\w\\s]", [".", "\u{e9}"], ["a", " ", "_"]),
            ("[\\W\\w]", ["a", ".", "\u{e9}", "\n"], [""]), ("[\\s-]", ["-", " "], ["a"]), ("[b-da-b]", ["a", "d"], ["e"]),
            ("\\d", ["5"], ["a", "\u{663}"]), ("\\D", ["a", "\u{663}"], ["5"]), ("\\w", ["a", "Z", "0", "_"], ["-", "\u{e9}"]),
            ("\\W", ["-", "\u{e9}"], ["a", "_"]), ("\\s", [" ", "\t", "\n", "\u{b}", "\u{c}", "\r"], ["a", "\u{a0}"]),
            ("\\S", ["a", "\u{a0}"], [" ", "\n"]),
        ])
    }

    @Test("Case is ignored by the simple mappings of each scalar")
    func ignoringCase() throws {
        try check([
            ("(?i)Time", ["TIMEOUT", "time"], ["tim"]), ("(?i)\u{e9}", ["\u{c9}"], ["E"]), ("(?i)", [""], []),
            ("(?i)\u{df}", ["\u{1e9e}", "\u{df}"], ["ss", "SS"]), ("(?i)i", ["\u{130}", "I"], ["\u{131}"]),
            ("(?i)k", ["\u{212a}", "K"], ["x"]), ("(?i)\u{212a}", ["k"], []), ("(?i)\u{3c3}", ["\u{3a3}"], ["\u{3c2}"]),
            ("(?i)[a-c]", ["B"], ["D"]), ("(?i)[A-C]", ["b"], ["d"]), ("(?i)[^a-c]", ["d"], ["B", "b"]),
            ("(?i)[k]", ["\u{212a}"], []),
            ("(?i)[\u{212a}]", ["\u{212a}", "k"], []), ("(?i)[\u{3a3}]", ["\u{3c3}"], ["\u{3c2}"]),
            ("(?i)[I]", ["i"], ["\u{131}"]),
            ("(?i)[^\u{c9}]", [], ["\u{e9}", "\u{c9}"]), ("(?i)\\w", ["a"], ["\u{212a}", "\u{130}"]),
            ("(?i)[\\w]", ["a"], ["\u{212a}"]), ("(?i)[^\\w]", ["\u{212a}"], ["A"]), ("a", ["a"], ["A"]),
        ])
    }

    @Test(
        "A malformed expression is rejected with its position",
        arguments: [
            ("ab(", "the parenthesis at character 3 is not closed"), ("((a)", "the parenthesis at character 1 is not closed"),
            ("(?:a", "the parenthesis at character 1 is not closed"), ("a)", "the parenthesis at character 2 is not opened"),
            (")(", "the parenthesis at character 1 is not opened"), ("[a", "the bracket at character 1 is not closed"),
            ("\u{e9}[a-", "the bracket at character 2 is not closed"), ("[^", "the bracket at character 1 is not closed"),
            ("[]", "the class at character 1 is empty"), ("x[^]a]", "the class at character 2 is empty"),
            ("[b-a]", "the range at character 2 is reversed"), ("[a--]", "the range at character 2 is reversed"),
            ("[a-\\d]", "the range at character 2 is not between two characters"),
            ("[\\w-z]", "the range at character 2 is not between two characters"),
            ("[\\d-\\w]", "the range at character 2 is not between two characters"),
            ("a\\", "the backslash at character 2 is not followed by a character"),
            ("[\\", "the backslash at character 2 is not followed by a character"),
            ("a\\q", "the escape at character 2 is unknown"), ("\\1", "the escape at character 1 is unknown"),
            ("\\Z", "the escape at character 1 is unknown"), ("[\\b]", "the escape at character 2 is unknown"),
            ("*", "the quantifier at character 1 repeats nothing"), ("a|+", "the quantifier at character 3 repeats nothing"),
            ("(?", "the group at character 1 is neither (?: ) nor (?i) at the start"),
            ("(*)", "the quantifier at character 2 repeats nothing"), ("{2}", "the quantifier at character 1 repeats nothing"),
            ("(?i)?", "the quantifier at character 5 repeats nothing"), ("a**", "the quantifier at character 3 repeats nothing"),
            ("a???", "the quantifier at character 4 repeats nothing"), ("a*+", "the quantifier at character 3 repeats nothing"),
            ("a{2}{3}", "the quantifier at character 5 repeats nothing"), ("^*", "the quantifier at character 2 repeats nothing"),
            ("a$?", "the quantifier at character 3 repeats nothing"), ("\\b+", "the quantifier at character 3 repeats nothing"),
            ("\\B", "the escape at character 1 is unknown"),
            ("a{2,}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{,2}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{3,2}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{101}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{99999999999999999999}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{b}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("a{ 1}", "the quantifier at character 2 is neither {n} nor {n,m} with n ≤ m ≤ 100"),
            ("(?=a)", "the group at character 1 is neither (?: ) nor (?i) at the start"),
            ("a(?i)b", "the group at character 2 is neither (?: ) nor (?i) at the start"),
            ("(?i:a)", "the group at character 1 is neither (?: ) nor (?i) at the start"),
            ("(?i)(?i)", "the group at character 5 is neither (?: ) nor (?i) at the start"),
            (String(repeating: "(", count: 4_000), "the parenthesis at character 65 is nested more than 64 deep"),
        ])
    func malformed(pattern: String, message: String) {
        let error = #expect(throws: QueryPattern.Malformed.self) { try QueryPattern(pattern) }
        #expect(error?.message == message)
    }

    @Test(
        "An expression that is too large is rejected",
        arguments: [
            "((a{100}){100}){100}", "((((((a{100}){100}){100}){100}){100}){100}){100}", "((ab){100}){100}", "((a?){100}){100}",
            "(((){0,100}){100}){100}", "((\\b){100}){100}(\\b|(a{100}){70})",
            Array(repeating: "(a{100}){100}", count: 300).joined(separator: "|"),
        ])
    func tooLarge(pattern: String) {
        let error = #expect(throws: QueryPattern.Malformed.self) { try QueryPattern(pattern) }
        #expect(error?.message == "the expression is too large: it needs more than 16,384 states")
    }

    @Test(
        "Hostile expressions are matched in linear time",
        arguments: [
            ("(a*)*b", 100_000), ("(a|a)*b", 100_000), ("((a*)*)*b", 100_000), ("(|a)*b", 100_000), ("(a?){100}a{100}b", 2_000),
            ("(a{100}){100}b", 500), ("(a|aa)+$b", 100_000), ("((a+)+)+\\b.", 100_000), ("(.*)(.*)(.*)(.*)b", 50_000),
            ("(((((){100}){100}){100}){100}b){100}", 1_000), (String(repeating: "a|", count: 2_000) + "ab", 100),
            (String(repeating: "(", count: 64) + "a" + String(repeating: ")+", count: 64) + "b", 1_000),
        ])
    func hostile(pattern: String, length: Int) throws {
        let isNullable = pattern.hasPrefix("a|")
        #expect(try matches(QueryPattern(pattern), repeatElement(UInt8(ascii: "a"), count: length)) == isNullable)
    }

    @Test("Loops over empty matches end", arguments: ["(a*)*", "(|a)*", "(a?){100}", "((^)*)*", "()+", "(()|())*", "(\\b|^|$)+"])
    func emptyLoops(pattern: String) throws {
        #expect(try matches(QueryPattern(pattern), "aab".utf8))
        #expect(try matches(QueryPattern(pattern), "".utf8))
    }

    @Test("An invalid byte counts as U+FFFD")
    func invalidBytes() throws {
        let replacements = try QueryPattern("^\u{fffd}+$")
        let sequences: [[UInt8]] = [
            [0x80], [0xff], [0xc0, 0x80], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80],
            [0xf8, 0x90, 0x80, 0x80], [0x83, 0xa9],
        ]
        for sequence in sequences {
            #expect(matches(replacements, sequence), "\(sequence)")
            #expect(try matches(QueryPattern("a\u{fffd}+\\bb"), Array("a".utf8) + sequence + Array("b".utf8)), "\(sequence)")
            #expect(try matches(QueryPattern("^.{\(sequence.count)}$"), sequence), "\(sequence)")
        }
        #expect(try matches(QueryPattern("^$"), UnsafeBufferPointer<UInt8>(start: nil, count: 0)))
        let pattern = try QueryPattern("^[^a](?:\\b|.)*\u{e9}?|\\W{8}")
        var random = SeededGenerator(seed: randomSeed)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...8, using: &random)).map { _ in UInt8.random(in: 0x78...0xff, using: &random) }
            #expect(matches(pattern, bytes) == !bytes.isEmpty, "seed \(randomSeed): \(bytes)")
        }
    }

    @Test("Random expressions match what a backtracking matcher matches", arguments: [false, true])
    func random(ignoringCase: Bool) throws {
        var random = SeededGenerator(seed: randomSeed)
        var (matchCount, count) = (0, 0)
        for _ in 0..<3_000 {
            let expected = BacktrackingMatcher.random(depth: 4, ignoringCase: ignoringCase, using: &random)
            let text = (ignoringCase ? "(?i)" : "") + expected.pattern
            let pattern = try QueryPattern(text)
            for _ in 0..<4 {
                let alphabet = BacktrackingMatcher.alphabet
                let scalars = (0..<Int.random(in: 0...6, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a"
                }
                var string = String.UnicodeScalarView()
                string.append(contentsOf: scalars)
                let doesMatch = expected.matches(scalars, ignoringCase: ignoringCase)
                #expect(
                    matches(pattern, String(string).utf8) == doesMatch,
                    "seed \(randomSeed): \(text.debugDescription) and \(String(string).debugDescription)")
                (matchCount, count) = (matchCount + (doesMatch ? 1 : 0), count + 1)
            }
        }
        #expect((count / 10...count * 9 / 10).contains(matchCount), "\(matchCount) of \(count) match")
    }

    @Test("Any string is an expression or is rejected")
    func anyString() {
        var random = SeededGenerator(seed: randomSeed)
        let characters = Array("aA\u{e9}01,-^$.|?*+(){}[]\\bdwsDBn:i ")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in characters.randomElement(using: &random) ?? "a" })
            guard let pattern = try? QueryPattern(text) else { continue }
            _ = matches(pattern, "aA1 \u{e9}\n".utf8)
        }
    }

    @Test(
        "A search ends soon after it is cancelled",
        arguments: [
            ("[^c]*", 1, "a", 2_000),
            // Characters of two and of four bytes; each begins at an odd position.
            ("[^c]*", 1, "\u{e9}", 2_000),
            ("[^c]*", 1, "\u{1f600}", 2_000),
            // A short text, and many states at each position.
            ("[^c]?", 100, "a", 100),
        ])
    func cancelled(part: String, parts: Int, character: String, length: Int) throws {
        let text = Array("a\(String(repeating: character, count: length))b".utf8)
        let pattern = try QueryPattern(String(repeating: part, count: parts) + "b")
        for isCancelled in [false, true] {
            let context = QueryContext(now: .distantPast) { isCancelled }
            let matches = text.withUnsafeBufferPointer { pattern.matches($0, in: context) }
            #expect(matches == !isCancelled)
        }
    }
}
