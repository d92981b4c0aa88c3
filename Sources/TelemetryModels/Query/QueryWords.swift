/// A word or a phrase that is searched without regard to case.
///
/// The characters match anywhere, except that a match neither begins nor ends inside of a word, unless the phrase itself begins or ends
/// with another character there. Words are the maximal runs of letters, marks, numbers (general categories L, M and N of the Unicode
/// Standard) and `_`.
package struct QueryWords: Sendable {
    let text: String
    /// Whether a match may begin inside of a word.
    let continuesBefore: Bool
    /// Whether a match may end inside of a word.
    let continuesAfter: Bool
    private let scalars: [Unicode.Scalar]
    /// The scalars as bytes; nil unless they are ASCII.
    private let bytes: [UInt8]?
    /// For each length that matches: the length of the longest shorter beginning of the phrase that matches too.
    private let continuations: [Int]
    private let checksStart: Bool
    private let checksEnd: Bool
    /// The hashes of the words that are in every text in which the phrase is found: those that do not continue.
    let wholeWords: [UInt64]

    init(_ text: String, continuesBefore: Bool = false, continuesAfter: Bool = false) {
        self.text = text
        self.continuesBefore = continuesBefore
        self.continuesAfter = continuesAfter
        scalars = text.unicodeScalars.map(\.simpleLowercase)
        bytes = scalars.allSatisfy(\.isASCII) ? scalars.map { UInt8(truncatingIfNeeded: $0.value) } : nil
        var continuations = [Int](repeating: 0, count: scalars.count)
        var matched = 0
        for index in scalars.indices.dropFirst() {
            while matched > 0, scalars[matched] != scalars[index] { matched = continuations[matched - 1] }
            if scalars[matched] == scalars[index] { matched += 1 }
            continuations[index] = matched
        }
        self.continuations = continuations
        checksStart = !continuesBefore && scalars.first?.isInWord ?? false
        checksEnd = !continuesAfter && scalars.last?.isInWord ?? false
        var whole = scalars[...]
        if continuesBefore { whole = whole.drop(while: \.isInWord) }
        if continuesAfter { while whole.last?.isInWord ?? false { whole.removeLast() } }
        wholeWords = WordHash.words(of: String(String.UnicodeScalarView(whole)))
    }

    func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8(matches)
    }

    /// Whether the phrase is in a text of UTF-8.
    package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if scalars.isEmpty { return true }
        guard text.allSatisfy({ $0 < 0x80 }) else {
            let text = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.simpleLowercase)
            return scalars.withUnsafeBufferPointer { matches($0, in: text.count, { text[$0] }, isInWord: \.isInWord) }
        }
        return bytes?.withUnsafeBufferPointer {
            matches($0, in: text.count, { Self.lowercase(text[$0]) }, isInWord: Self.isInWord)
        } ?? false
    }

    /// Searches as Donald Knuth, James Morris and Vaughan Pratt, "Fast Pattern Matching in Strings", in time linear in the text.
    @inline(__always)
    private func matches<Element: Equatable>(
        _ phrase: UnsafeBufferPointer<Element>, in count: Int, _ element: (Int) -> Element, isInWord: (Element) -> Bool
    ) -> Bool {
        var matched = 0
        for index in 0..<count {
            let next = element(index)
            while matched > 0, phrase[matched] != next { matched = continuations[matched - 1] }
            if phrase[matched] == next { matched += 1 }
            guard matched == phrase.count else { continue }
            let start = index + 1 - matched
            let beginsInside = checksStart && start > 0 && isInWord(element(start - 1))
            let endsInside = checksEnd && index + 1 < count && isInWord(element(index + 1))
            if !beginsInside, !endsInside { return true }
            matched = continuations[matched - 1]
        }
        return false
    }

    static func lowercase(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    static func isInWord(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || lowercase(byte) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is part of a word.
    var isInWord: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: self == "_" || isLetterOrNumber
        }
    }
}
