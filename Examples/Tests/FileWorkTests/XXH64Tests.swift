import Testing

@testable import FileWork

struct XXH64Tests {
    // The digests that `xxhsum -H1` prints.
    @Test(
        "Digests equal those of xxhsum",
        arguments: [
            ("", "ef46db3751d8e999"),
            ("a", "d24ec4f1a98c6e5b"),
            ("abc", "44bc2cf5ad770999"),
            ("Nobody inspects the spammish repetition", "fbcea83c8a378bf1"),
        ])
    func knownDigests(text: String, expected: String) {
        var hash = XXH64()
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        #expect(hash.digest == expected)
    }

    @Test("The digest does not depend on how the bytes are split", arguments: [1, 3, 31, 32, 33, 100])
    func pieces(size: Int) {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var whole = XXH64()
        bytes.withUnsafeBytes { whole.update($0) }
        var cut = XXH64()
        for start in stride(from: 0, to: bytes.count, by: size) {
            Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { cut.update($0) }
        }
        #expect(cut.digest == whole.digest)
    }
}
