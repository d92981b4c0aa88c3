/// The strings read last, so that a text that repeats is created once.
package struct TextPool {
    private var texts = [String](repeating: "", count: TextHash.placeCount)

    package init() {}

    /// The text of the bytes; nil if they are not valid UTF-8.
    package mutating func text(of bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let place = TextHash.place(TextHash.hash(bytes))
        if texts[place].withBytes({ $0.isIdentical(to: bytes) }) { return texts[place] }
        guard let text = JSONScanner.text(bytes) else { return nil }
        texts[place] = text
        return text
    }
}
