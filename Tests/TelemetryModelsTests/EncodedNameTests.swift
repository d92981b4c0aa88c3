import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@_spi(Tooling) @testable import TelemetryModels

struct EncodedNameTests {
    @Test(
        "The encoded form of names",
        arguments: [
            ("abc123", "abc123"), ("", "..empty"), ("A", "_a"), ("aB", "a_b"), (".", ".2e"), ("..", ".2e.2e"), ("_", ".5f"),
            ("-", ".2d"), ("../../etc/passwd", ".2e.2e.2f.2e.2e.2fetc.2fpasswd"), ("a b", "a.20b"), ("\u{0}", ".00"),
            ("caf\u{e9}", "cafe.cc.81"), ("cafe\u{301}", "cafe.cc.81"), ("👩", ".f0.9f.91.a9"), ("..empty", ".2e.2eempty"),
        ])
    func encoding(text: String, name: String) {
        #expect(EncodedName.encode(text) == name)
    }

    @Test("An encoded name has only safe characters, stays within the limit, and is stable", arguments: [80, 120, 150, 200])
    func harmless(limit: Int) {
        var generated = Generated(stream: 20)
        for _ in 0..<300 {
            let text = String(repeating: generated.text(), count: Int.random(in: 0...20, using: &generated))
            let name = EncodedName.encode(text, limit: limit)
            #expect((1...limit).contains(name.utf8.count), "seed \(randomSeed)")
            #expect(name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789._".utf8.contains($0) })
            #expect(EncodedName.encode(text, limit: limit) == name)
        }
    }

    @Test("Two texts have the same name only if Swift's == calls them equal")
    func injective() {
        var generated = Generated(stream: 21)
        var texts: [String: String] = [:]
        for _ in 0..<1_500 {
            let text = generated.text()
            for variant in [
                text, text.uppercased(), text.lowercased(), text.decomposedStringWithCanonicalMapping,
                text.precomposedStringWithCompatibilityMapping, String(repeating: text, count: 12),
                String(repeating: text, count: 12) + "x",
            ] {
                let name = EncodedName.encode(variant)
                if let other = texts.updateValue(variant, forKey: name) {
                    #expect(other == variant, "seed \(randomSeed): both are \(name)")
                }
            }
        }
    }

    /// Pairs of strings that Foundation on Linux composes, decomposes or orders differently than Swift's `==`.
    @Test(
        "Texts have the same name exactly if Swift's == calls them equal",
        arguments: [
            ("caf\u{e9}", "cafe\u{301}"), ("\u{ac00}", "\u{1100}\u{1161}"), ("\u{212b}", "A\u{30a}"), ("\u{212b}", "\u{c5}"),
            ("a\u{301}\u{327}", "a\u{327}\u{301}"), ("a\u{301}\u{308}", "a\u{308}\u{301}"), ("\u{1ea5}", "a\u{302}\u{301}"),
            ("\u{10041}\u{301}", "\u{c1}"), ("\u{20061}\u{301}", "\u{e1}"), ("\u{1003c}\u{338}", "\u{226e}"),
            ("a\u{327}\u{897}", "a\u{897}\u{327}"), ("a\u{301}\u{f73}", "a\u{f73}\u{301}"), ("\u{1109a}", "\u{11099}\u{110ba}"),
            ("\u{105c9}", "\u{105d2}\u{307}"), ("\u{16128}", "\u{1611e}\u{1611e}\u{16120}"), ("\u{16d6a}", "\u{16d69}\u{16d67}"),
            ("\u{fb01}", "fi"), ("ß", "ss"), ("K", "\u{212a}"),
        ])
    func canonical(one: String, other: String) {
        #expect((EncodedName.encode(one) == EncodedName.encode(other)) == (one == other))
        #expect(String(decoding: CanonicalForm.utf8(of: one), as: UTF8.self) == one)
    }

    @Test("Names of random letters and marks are equal exactly if Swift's == calls the texts equal")
    func marks() {
        var generated = Generated(stream: 22)
        let marks = Array(
            "\u{301}\u{308}\u{327}\u{338}\u{345}\u{5b0}\u{f71}\u{897}\u{1acf}\u{1e944}\u{16ff0}".unicodeScalars)
        let letters = Array(
            "aeA\u{e9}\u{3b9}\u{ac00}\u{1100}\u{1161}\u{11a8}\u{10041}\u{1f600}\u{105d2}\u{1611e}\u{16121}".unicodeScalars)
        for _ in 0..<4_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...2, using: &generated) {
                text.append(letters[Int.random(in: 0..<letters.count, using: &generated)])
                for _ in 0..<Int.random(in: 0...3, using: &generated) {
                    text.append(marks[Int.random(in: 0..<marks.count, using: &generated)])
                }
            }
            var shuffled = String.UnicodeScalarView()
            shuffled.append(contentsOf: Array(text).shuffled(using: &generated))
            let (one, other) = (String(text), String(shuffled))
            let areEqual = one == other
            guard (EncodedName.encode(one) == EncodedName.encode(other)) != areEqual else { continue }
            Issue.record("seed \(randomSeed): \(text.map(\.value)) and \(shuffled.map(\.value)), equal: \(areEqual)")
            return
        }
    }

    @Test("A name that is too long is cut, and ends with a hash that differs for different texts")
    func long() {
        let text = String(repeating: "x", count: 10_000)
        let names = [text, text + "y", text + "z", String(text.dropLast())].map { EncodedName.encode($0) }
        #expect(Set(names).count == 4)
        for name in names { #expect(name.utf8.count == 150 && name.hasPrefix(String(repeating: "x", count: 84) + "..")) }
        #expect(EncodedName.encode(String(repeating: "x", count: 150)) == String(repeating: "x", count: 150))
        #expect(EncodedName.encode(String(repeating: "x", count: 151)).contains(".."))
        // An escape is one unit: cutting it in two must not make another text's name.
        let cut = (0..<3).map { EncodedName.encode(String(repeating: "x", count: 82 + $0) + String(repeating: "é", count: 50)) }
        #expect(Set(cut).count == 3)
    }

    /// The examples of FIPS 180-2: no bytes, one block, two blocks.
    @Test(
        "SHA-256 of texts with known digests",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func sha256(text: String, digest: String) {
        #expect(SHA256.hexDigest(of: Array(text.utf8)) == digest)
    }

    @Test("SHA-256 of many blocks")
    func sha256OfMany() {
        let digest = SHA256.hexDigest(of: [UInt8](repeating: UInt8(ascii: "a"), count: 20_000))
        #expect(digest == "cc17faaad36649c4603dda4d8ff97cb149722af0bcac0746305a2134ad2d0b97")
    }

    @Test("SHA-256 of messages whose length is near a block's end")
    func sha256AroundBlocks() {
        let digests = [
            55: "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
            56: "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
            64: "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
        ]
        for (count, digest) in digests {
            #expect(SHA256.hexDigest(of: [UInt8](repeating: UInt8(ascii: "a"), count: count)) == digest, "\(count)")
        }
    }
}
