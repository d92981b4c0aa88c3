import TelemetrySystem

/// Strings that a header lists, so that the event lines below it contain their numbers instead.
final class TextTable: Sendable {
    /// The maximum number of strings that a writer lists.
    static let maximumCount = 64
    /// The maximum number of strings that a reader accepts.
    static let readableCount = 1_024

    let texts: [String]
    /// The strings' hashes, in the same order; none if the table was read, because only a writer looks strings up.
    private let hashes: [UInt64]

    /// A table to write.
    init(_ texts: [String] = []) {
        self.texts = texts
        hashes = texts.map { $0.withBytes { TextHash.hash($0) } }
    }

    /// A table that was read; nil if it has too many strings.
    init?(reading texts: [String]) {
        if texts.count > Self.readableCount { return nil }
        self.texts = texts
        hashes = []
    }

    /// The number of the text; nil if the table does not contain it.
    @inline(__always)
    func number(of text: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int? {
        for index in hashes.indices where hashes[index] == hash {
            if texts[index].withBytes({ $0.isIdentical(to: text) }) { return index }
        }
        return nil
    }

    func text(_ number: UInt64) -> String? {
        guard number < UInt64(texts.count) else { return nil }
        return texts[Int(number)]
    }
}
