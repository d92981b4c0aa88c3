public import Foundation

/// One JSON object in one line, with its fields in the order in which they were added. Nil values are left out.
public struct JSONLine {
    private let stamp = UTCStamp()

    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    /// The object as text.
    public var text: String { String(decoding: bytes, as: UTF8.self) + "}" }

    public mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        addName(name)
        JSONBytes.append(value, to: &bytes)
    }

    public mutating func add(_ name: String, _ value: Bool?) {
        guard let value else { return }
        addName(name)
        bytes += (value ? "true" : "false").utf8
    }

    public mutating func add(_ name: String, _ value: (some FixedWidthInteger)?) {
        guard let value else { return }
        addName(name)
        JSONBytes.append(value, to: &bytes)
    }

    /// Adds a number; an infinite one is left out, because JSON has none.
    public mutating func add(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        addName(name)
        bytes += String(value).utf8
    }

    /// Adds a date in ISO 8601, in UTC.
    public mutating func add(_ name: String, _ value: Date?) {
        guard let value else { return }
        addName(name)
        bytes.append(UInt8(ascii: "\""))
        stamp.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    public mutating func add(_ name: String, _ values: [String]) {
        addName(name)
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONBytes.append(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func addName(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        JSONBytes.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
