import Testing

@testable import TelemetryRelay

struct LocalNameTests {
    @Test(
        "Only names that always refer to the local machine are local",
        arguments: [
            ("localhost", true), ("localhost:8377", true), ("LOCALHOST:1", true), ("127.0.0.1", true), ("127.0.0.1:8377", true),
            ("[::1]", true), ("[::1]:8377", true), ("evil.example", false), ("evil.example:8377", false),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example:8377", false), ("[::1].evil.example", false),
            ("[::2]:8377", false), ("192.168.1.5", false), ("", false), (":8377", false), ("[", false),
        ])
    func names(authority: String, isLocal: Bool) {
        #expect(LocalName.isLocal(authority) == isLocal)
    }
}
