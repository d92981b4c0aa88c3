#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// Searches bytes for ASCII letters, digits and `_`, without regard to case.
package struct LetterSearch: Sendable {
    /// From rare to frequent in English and in event lines.
    private static let rarity = Array("qzjxkvwbyfpghmucd_lroisnate".utf8)

    private let letters: [UInt8]
    /// The index of the letter that is searched for first, the rarest.
    private let first: Int
    package let sample: LetterPairs.Sample

    /// - Parameter letters: Lowercase letters, digits and `_`, at least one.
    package init(_ letters: [UInt8]) {
        self.letters = letters
        sample = LetterPairs.sample(of: letters)
        let ranks = letters.map { Self.rarity.firstIndex(of: $0) ?? Self.rarity.count }
        first = ranks.indices.min { ranks[$0] < ranks[$1] } ?? 0
    }

    package func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress, bytes.count >= letters.count else { return false }
        let letter = letters[first]
        if isFound(in: base, bytes.count, beginningWith: letter) { return true }
        let upper = Self.uppercase(letter)
        return upper != letter && isFound(in: base, bytes.count, beginningWith: upper)
    }

    private func isFound(in base: UnsafePointer<UInt8>, _ count: Int, beginningWith letter: UInt8) -> Bool {
        var start = first
        let end = count - (letters.count - 1 - first)
        while start < end, let found = memchr(base + start, Int32(letter), end - start) {
            let place = UnsafeRawPointer(found) - UnsafeRawPointer(base)
            if matches(base + (place - first)) { return true }
            start = place + 1
        }
        return false
    }

    private func matches(_ bytes: UnsafePointer<UInt8>) -> Bool {
        for (index, letter) in letters.enumerated() {
            let byte = bytes[index]
            if byte != letter, byte != Self.uppercase(letter) { return false }
        }
        return true
    }

    private static func uppercase(_ letter: UInt8) -> UInt8 { letter >= UInt8(ascii: "a") ? letter & ~0x20 : letter }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are ASCII without a backslash, so that those of a JSON string are its text.
    package var isPlain: Bool {
        guard let base = baseAddress else { return true }
        return isASCII && memchr(base, Int32(UInt8(ascii: "\\")), count) == nil
    }
}
