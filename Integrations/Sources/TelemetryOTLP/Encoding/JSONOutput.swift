/// Writes JSON directly into bytes, because encoding values of intermediate types takes many times as long.
struct JSONOutput {
    private(set) var bytes: [UInt8] = []

    /// Appends JSON as it is.
    mutating func raw(_ json: StaticString) { json.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Appends a number as it is.
    mutating func number(_ number: some FixedWidthInteger) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends a string in quotation marks.
    mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case ..<0x20:
                raw("\\u00")
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer of 64 bits, which JSON of protocol buffers represents as a string.
    mutating func quoted(_ number: some FixedWidthInteger) {
        bytes.append(UInt8(ascii: "\""))
        self.number(number)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a number; a number that is not finite as a string, as JSON of protocol buffers represents it.
    mutating func double(_ number: Double) {
        if number.isFinite {
            bytes.append(contentsOf: String(number).utf8)
        } else if number.isNaN {
            raw("\"NaN\"")
        } else {
            string(number < 0 ? "-Infinity" : "Infinity")
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
