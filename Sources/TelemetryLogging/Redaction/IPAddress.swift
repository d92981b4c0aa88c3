/// IP addresses in text.
enum IPAddress {
    /// The IPv4 address whose first digit is at an index.
    static func version4(in text: ByteView, at first: Int) -> Range<Int>? {
        if first > 0, isPart(text[first - 1]) { return nil }
        return end(ofVersion4In: text, at: first).map { first..<$0 }
    }

    private static func end(ofVersion4In text: ByteView, at first: Int) -> Int? {
        var index = first
        for part in 0..<4 {
            if part > 0 {
                guard index < text.count, text[index] == UInt8(ascii: ".") else { return nil }
                index += 1
            }
            var (value, digits) = (0, 0)
            while index < text.count, ByteClass.isDigit(text[index]), digits < 4 {
                value = value * 10 + Int(text[index] - UInt8(ascii: "0"))
                (index, digits) = (index + 1, digits + 1)
            }
            guard (1...3).contains(digits), value <= 255 else { return nil }
        }
        // A fifth part makes it something else, a dot that ends a sentence does not.
        guard index < text.count else { return index }
        if text[index] == UInt8(ascii: ".") { return index + 1 < text.count && ByteClass.isDigit(text[index + 1]) ? nil : index }
        return ByteClass.isWord(text[index]) ? nil : index
    }

    private static func isPart(_ byte: UInt8) -> Bool { ByteClass.isWord(byte) || byte == UInt8(ascii: ".") }

    /// The IPv6 address whose first colon is at an index: eight groups of hexadecimal digits, of which `::` replaces some, and an IPv4 address
    /// can replace the last two. A port may follow it.
    static func version6(in text: ByteView, colon: Int) -> Range<Int>? {
        var first = colon
        while first > 0, first > colon - 5, ByteClass.isHexadecimal(text[first - 1]) { first -= 1 }
        guard colon - first <= 4, isBoundary(text, beforeVersion6: first) else { return nil }
        var (groups, isShortened) = (first < colon ? 1 : 0, false)
        var (index, end) = (colon, colon)
        while index < text.count, text[index] == UInt8(ascii: ":"), groups < 8 {
            if text.starts(with: "::", at: index) {
                guard !isShortened else { break }
                isShortened = true
                index += 2
                end = index
            } else {
                // A single colon is between two groups.
                guard groups > 0 else { return nil }
                index += 1
            }
            if groups <= 6, let last = self.end(ofVersion4In: text, at: index) {
                (groups, end) = (groups + 2, last)
                break
            }
            let group = index
            while index < text.count, index < group + 5, ByteClass.isHexadecimal(text[index]) { index += 1 }
            // An empty group ends an address, and one that is too long is a port.
            guard 1...4 ~= index - group else { break }
            groups += 1
            end = index
        }
        guard groups == 8 ? !isShortened : isShortened && groups > 0 else { return nil }
        return end < text.count && ByteClass.isWord(text[end]) ? nil : first..<end
    }

    /// Whether an address can begin here: not within a word or another address. A name with a colon may precede it.
    private static func isBoundary(_ text: ByteView, beforeVersion6 index: Int) -> Bool {
        guard index > 0 else { return true }
        guard text[index - 1] == UInt8(ascii: ":") else { return !isPart(text[index - 1]) }
        return index == 1 || text[index - 2] != UInt8(ascii: ":") && !ByteClass.isHexadecimal(text[index - 2])
    }
}
