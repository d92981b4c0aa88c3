import Testing

@testable import FileWork

struct LogFieldTests {
    private let lines = [
        "2025-06-24 14:36:25 startup archives unpack",
        "2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36 252.38",
        "2025-06-24 14:36:26 status triggers-pending libc-bin:amd64 2.36",
        "2025-06-24 14:36:27 status half-configured libsystemd0:amd64 252.36",
        "2025-06-24 14:36:28 status unpacked libudev1:amd64 252.36",
        "2025-06-24 14:36:29 upgrade libudev1:amd64 252.36 252.38",
    ]

    @Test("The field with few distinct words is detected")
    func best() throws {
        let field = try #require(LogField.best(in: lines))
        #expect(field.position == 3)
        #expect(field.scenarios == ["status", "upgrade", "startup"])
        #expect(field.scenario(of: lines[1]) == "upgrade")
    }

    @Test("A file without such a field has none")
    func none() { #expect(LogField.best(in: ["1 2 3", "4 5 6"]) == nil) }

    @Test("Rare words share one scenario")
    func rare() throws {
        let lines = (0..<40).map { "kind\($0 < 20 ? 0 : $0)" }
        let field = try #require(LogField(position: 1, in: lines))
        #expect(field.scenarios.count == LogField.maximumScenarios)
        #expect(field.scenarios.first == "kind0")
        #expect(field.scenarios.last == LogField.other)
        #expect(field.scenario(of: "kind39") == LogField.other)
        #expect(field.scenario(of: "") == LogField.other)
    }

    @Test("A missing field is rejected", arguments: [0, -1, 99])
    func missing(position: Int) { #expect(LogField(position: position, in: lines) == nil) }
}
