/// JSON, written straight into bytes: a library's encoder is twenty times slower.
enum JSONBytes {
    private static let hex = Array("0123456789abcdef".utf8)

    static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var copy = text
        copy.withUTF8 { utf8 in
            guard let base = utf8.baseAddress else { return }
            var start = 0
            var index = 0
            while index < utf8.count {
                let byte = base[index]
                if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F {
                    bytes += UnsafeBufferPointer(start: base + start, count: index - start)
                    start = index + 1
                    appendEscaped(byte, to: &bytes)
                }
                index += 1
            }
            bytes += UnsafeBufferPointer(start: base + start, count: utf8.count - start)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) { bytes += String(number).utf8 }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes += "u00".utf8
            bytes.append(hex[Int(byte >> 4)])
            bytes.append(hex[Int(byte & 15)])
        }
    }
}
