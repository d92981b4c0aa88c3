@_spi(Tooling) public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes one JSON text, inserting commas, for the project's packages; not part of the interface.
@_spi(Tooling)
public struct JSONWriter {
    private var buffer: ByteBuffer
    private var needsComma = false
    private var timestamps = TimestampWriter()

    /// - Parameter capacity: The bytes for which memory is allocated at first.
    public init(capacity: Int = 256) { buffer = ByteBuffer(capacity: capacity) }

    /// The text so far.
    public var bytes: [UInt8] { Array(buffer.bytes) }

    /// The text so far, without a copy.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(buffer.bytes) }

    /// The checksum of the text so far, as a header line has it.
    public var checksum: String { LineChecksum.text(of: buffer.bytes) }

    /// Begins another text in the same memory.
    public mutating func removeAll() {
        if isKnownUniquelyReferenced(&buffer) { buffer.truncate() } else { buffer = ByteBuffer() }
        needsComma = false
    }

    /// Writes an object whose members `body` writes.
    public mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        begin(UInt8(ascii: "{"))
        try body(&self)
        end(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes.
    public mutating func array<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        begin(UInt8(ascii: "["))
        try body(&self)
        end(UInt8(ascii: "]"))
    }

    /// Writes an array with an element for each of the sequence, which `write` writes.
    public mutating func array<Element, Failure>(
        _ elements: some Sequence<Element>, _ write: (Element, inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try array { writer throws(Failure) in
            for element in elements { try write(element, &writer) }
        }
    }

    /// Writes a member's name. The value must follow.
    public mutating func key(_ name: String) {
        string(name)
        buffer.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    public mutating func member(_ name: String, _ value: some FixedWidthInteger) {
        key(name)
        number(value)
    }

    public mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }

    public mutating func string(_ text: String) {
        beginValue()
        buffer.append(quoted: text)
    }

    public mutating func bool(_ flag: Bool) {
        beginValue()
        buffer.append(literal: flag ? "true" : "false")
    }

    public mutating func number(_ number: some FixedWidthInteger) {
        beginValue()
        buffer.append(String(number))
    }

    /// Writes a number, which has to be finite, with a fraction or an exponent.
    public mutating func number(_ number: Double) {
        beginValue()
        buffer.append(number.description)
    }

    /// Writes a date in the stored form; outside the years 1 to 9999, the nearest one inside.
    public mutating func timestamp(_ date: Date) {
        beginValue()
        buffer.append(UInt8(ascii: "\""))
        if timestamps.append(date, to: buffer) == nil { buffer.append(TimestampText.string(nearest: date)) }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is JSON already.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        beginValue()
        if json.withContiguousStorageIfAvailable({ buffer.append($0) }) != nil { return }
        Array(json).withUnsafeBufferPointer { buffer.append($0) }
    }

    /// Writes a value in the form of `TelemetryValue`'s coding; false for a date outside the years 1 to 9999, after which the text
    /// is incomplete.
    public mutating func value(_ value: TelemetryValue) -> Bool {
        beginValue()
        return buffer.append(value)
    }

    /// Writes a value in the relay's form; false for a date outside the years 1 to 9999, after which the text is incomplete.
    public mutating func wireValue(_ value: TelemetryValue) -> Bool {
        beginValue()
        return buffer.append(wire: value)
    }

    /// Writes fields or attributes as an object in the relay's form. Returns the name of one whose date cannot be written, after
    /// which the text is incomplete; nil if there is none.
    public mutating func wireValues(_ values: [String: TelemetryValue]) -> String? {
        beginValue()
        return buffer.append(wire: values)
    }

    private mutating func begin(_ byte: UInt8) {
        beginValue()
        buffer.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        needsComma = false
        beginValue()
        buffer.append(byte)
    }

    /// Gives a copy of a writer a buffer of its own, and writes the comma before the next value.
    @inline(__always)
    private mutating func beginValue() {
        if !isKnownUniquelyReferenced(&buffer) { separate() }
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func separate() {
        let copy = ByteBuffer(capacity: buffer.count * 2)
        copy.append(buffer.bytes)
        buffer = copy
    }
}
