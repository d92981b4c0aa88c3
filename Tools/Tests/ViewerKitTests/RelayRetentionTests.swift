import Testing

@testable import ViewerKit

struct RelayRetentionTests {
    @Test(
        "The first rule whose pattern matches the whole name holds",
        arguments: [
            ("DebugNet", "1d,100MB"), ("Debug", "1d,100MB"), ("xDebug", "30d"), ("a.x\ny[c", "90m"), ("aax[c", "30d"),
            ("Cafe\u{301}", "1h,1025KB"), ("DebugCaf\u{e9}", "1d,100MB"), ("caf\u{e9}", "30d"), ("Caf\u{e9}\n", "30d"),
            (nil, "30d"),
            ("*.", "1s,1048577B"),
        ])
    func limits(scenario: String?, text: String) throws {
        let retention = try #require(
            RelayRetention([
                "retention": [
                    ["scenario": "Debug*", "age": 86_400, "bytes": 100 << 20], ["scenario": "a.*[c", "age": 5_400],
                    ["scenario": "Caf\u{e9}", "age": 3_600, "bytes": 1_025 << 10],
                    ["scenario": "*.", "age": 1, "bytes": (1 << 20) + 1],
                ],
                "defaultRetention": ["age": 2_592_000, "bytes": 1, "events": 1],
            ]))
        #expect(retention.limits(of: scenario).text == text)
    }

    @Test("A description without retention has none")
    func none() {
        #expect(RelayRetention(["api": 2]) == nil)
    }
}
