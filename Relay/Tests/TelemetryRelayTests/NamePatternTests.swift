import Testing

@testable import TelemetryRelay

struct NamePatternTests {
    @Test(
        "A star matches any characters, everything else itself",
        arguments: [
            ("Checkout", "Checkout", true), ("Checkout", "checkout", false), ("Checkout", "Checkouts", false),
            ("Checkout", "Check", false), ("", "", true), ("", "a", false), ("*", "", true), ("*", "a", true), ("**", "", true),
            ("Debug*", "Debug", true), ("Debug*", "DebugNet", true), ("Debug*", "aDebug", false), ("*Net", "DebugNet", true),
            ("*Net", "NetNets", false), ("a*b*c", "abc", true), ("a*b*c", "axbxbxc", true), ("a*b*c", "acb", false),
            ("*ab*ab", "abab", true), ("*ab*ab", "ab", false), ("a*a", "a", false), ("*é*", "café!", true), ("a.c", "abc", false),
            ("a?", "ab", false), ("caf\u{E9}", "cafe\u{301}", false), ("a*", "a*", true), ("*\u{301}", "e\u{301}", true),
        ])
    func matches(pattern: String, name: String, isMatch: Bool) {
        #expect(NamePattern(pattern).matches(name) == isMatch)
    }

    @Test("Canonically equivalent patterns are different")
    func equality() {
        #expect(NamePattern("caf\u{E9}") != NamePattern("cafe\u{301}"))
        #expect(Set([NamePattern("caf\u{E9}"), NamePattern("cafe\u{301}"), NamePattern("caf\u{E9}")]).count == 2)
    }

    @Test("A pattern with many stars ends soon", .timeLimit(.minutes(1)))
    func manyStars() {
        let pattern = NamePattern(String(repeating: "a*", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 5_000)))
    }
}
