/// The words of UTF-8, as hashes that are the same in every process and can be stored. Words are those of ``QueryWords``.
enum WordHash {
    /// Calls `body` with the hash of each word, in order.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (UInt64) -> Void) {
        if text.allSatisfy({ $0 < 0x80 }) {
            forEach(in: text.lazy.map(QueryWords.lowercase), isInWord: QueryWords.isInWord, number: UInt64.init, body)
        } else {
            let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.lazy.map(\.simpleLowercase)
            forEach(in: scalars, isInWord: \.isInWord, number: { UInt64($0.value) }, body)
        }
    }

    /// The hash of each word, in order.
    static func words(of text: String) -> [UInt64] {
        var (text, words) = (text, [UInt64]())
        text.withUTF8 { forEach(in: $0) { words.append($0) } }
        return words
    }

    /// Hashes as FNV-1a does, with scalars for bytes: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
    @inline(__always)
    private static func forEach<Element>(
        in scalars: some Sequence<Element>, isInWord: (Element) -> Bool, number: (Element) -> UInt64, _ body: (UInt64) -> Void
    ) {
        var hash: UInt64?
        for scalar in scalars {
            if isInWord(scalar) {
                hash = ((hash ?? 0xcbf2_9ce4_8422_2325) ^ number(scalar)) &* 0x0000_0100_0000_01b3
            } else if let word = hash {
                body(mixed(word))
                hash = nil
            }
        }
        if let hash { body(mixed(hash)) }
    }

    /// The finalizer of MurmurHash3, so that each half of the result depends on all bits.
    private static func mixed(_ hash: UInt64) -> UInt64 {
        var hash = hash
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return hash ^ hash >> 33
    }
}
