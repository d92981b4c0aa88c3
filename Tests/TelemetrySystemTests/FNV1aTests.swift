import Testing

@testable import TelemetrySystem

struct FNV1aTests {
    @Test(
        "Hashes are those of the specification's test vectors",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func vectors(text: String, hash: UInt64) { #expect(FNV1a.hash(text) == hash) }
}
