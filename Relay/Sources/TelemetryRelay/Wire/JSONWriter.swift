/// Writes one JSON text, inserting commas.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Writes an object whose members `body` writes.
    mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes.
    mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    mutating func array<Element>(
        _ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) throws -> Void
    ) rethrows {
        try array { writer in for element in elements { try write(element, &writer) } }
    }

    /// Writes a member's name. The value must follow.
    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int) {
        key(name)
        raw("\(value)")
    }

    mutating func member(_ name: String, _ value: Bool) {
        key(name)
        raw(value ? "true" : "false")
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Copies whole runs, because characters that need escaping are rare.
            var start = 0
            for index in utf8.indices {
                guard let escape = Self.escape(utf8[index]) else { continue }
                bytes += utf8[start..<index]
                bytes += escape
                start = index + 1
            }
            bytes += utf8[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is encoded already.
    mutating func raw(_ json: String) {
        separate()
        bytes += json.utf8
    }

    mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes += json
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func begin(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private static func escape(_ byte: UInt8) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "\""): return Array("\\\"".utf8)
        case UInt8(ascii: "\\"): return Array("\\\\".utf8)
        case UInt8(ascii: "\n"): return Array("\\n".utf8)
        case UInt8(ascii: "\r"): return Array("\\r".utf8)
        case UInt8(ascii: "\t"): return Array("\\t".utf8)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            return Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: return nil
        }
    }
}
