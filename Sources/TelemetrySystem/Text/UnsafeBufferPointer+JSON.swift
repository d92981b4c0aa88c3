extension UnsafeBufferPointer<UInt8> {
    /// The index of the next byte with a special meaning in a JSON string: a quotation mark, a backslash or a control character.
    ///
    /// Examines eight bytes at a time: the high bit of each byte in `marks` is set if that byte is special.
    package func firstSpecial(from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawBufferPointer(self)
        var index = start
        while index + 8 <= raw.count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let controls = (word &- (ones &* 0x20)) & ~word
            let marks = (controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & highs
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < raw.count {
            let byte = raw[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
            index += 1
        }
        return nil
    }

    package var isASCII: Bool {
        var all: UInt64 = 0
        var index = 0
        let raw = UnsafeRawBufferPointer(self)
        while index + 8 <= raw.count {
            all |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < raw.count {
            all |= UInt64(raw[index])
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
