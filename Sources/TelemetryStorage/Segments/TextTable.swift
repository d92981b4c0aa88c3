/// Texts that a header lists, so that the event lines below it contain their numbers instead.
package final class TextTable: Sendable {
    /// The maximum number of texts that a writer lists; a reader accepts more.
    static let maximumCount = 64

    package let texts: [String]
    /// The texts' hashes, in the same order.
    private let hashes: [UInt64]

    package init(_ texts: [String] = []) {
        self.texts = texts
        hashes = texts.map { $0.withBytes { TextHash.hash($0) } }
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
