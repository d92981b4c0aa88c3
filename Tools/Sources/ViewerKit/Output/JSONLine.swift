public import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// One JSON object in one line, with its fields in the order in which they were added. Nil values are left out.
public struct JSONLine {
    /// The object's members.
    private var members = JSONWriter()

    public init() {}

    /// The object as text.
    public var text: String { String(decoding: JSONBytes.escapingControls(in: object), as: UTF8.self) }

    private var object: [UInt8] { "{".utf8 + members.bytes + "}".utf8 }

    public mutating func add(_ name: String, _ value: String?) {
        if let value { members.member(name, value) }
    }

    public mutating func add(_ name: String, _ value: Bool?) {
        if let value { members.member(name, value) }
    }

    public mutating func add(_ name: String, _ value: (some FixedWidthInteger)?) {
        if let value { members.member(name, value) }
    }

    /// Adds a number; an infinite one is left out, because JSON has none.
    public mutating func add(_ name: String, _ value: Double?) {
        guard let value, value.isFinite else { return }
        members.key(name)
        members.number(value)
    }

    /// Adds a date in ISO 8601, in UTC.
    public mutating func add(_ name: String, _ value: Date?) {
        guard let value else { return }
        members.key(name)
        members.timestamp(value)
    }

    public mutating func addNull(_ name: String) {
        members.key(name)
        members.raw("null".utf8)
    }

    public mutating func add(_ name: String, _ values: [String]) {
        members.key(name)
        members.array(values) { value, writer in writer.string(value) }
    }

    public mutating func add(_ name: String, _ value: JSONLine?) {
        guard let value else { return }
        members.key(name)
        members.raw(value.object)
    }

    public mutating func add(_ name: String, _ values: [JSONLine]) {
        members.key(name)
        members.array(values) { value, writer in writer.raw(value.object) }
    }

    /// Adds a value that is JSON already.
    public mutating func add(_ name: String, json value: [UInt8]) {
        members.key(name)
        members.raw(value)
    }
}
