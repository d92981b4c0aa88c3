import TelemetryModels

@testable import TelemetrySystem
@_spi(Tooling) @testable import TelemetryTransport

/// The reader and the writer of a segment's lines.
enum LineAccess {
    static func events(in bytes: [UInt8]) -> [TelemetryEvent] {
        var decoder = EventLineDecoder(context: nil)
        var events: [TelemetryEvent] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            // A separate copy, so that the address sanitizer detects reads outside the line.
            let line = Array(line)
            if case .event(let event) = line.withUnsafeBufferPointer({ decoder.decode($0) }) { events.append(event) }
        }
        return events
    }

    /// Corrects the checksum of each header line that ends with one, so that the lines below an altered header are read.
    static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        let (start, end) = (Array("{\"header\":".utf8), Array(",\"checksum\":\"01234567\"}".utf8))
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line -> [UInt8] in
            let header = line.dropFirst(start.count).dropLast(end.count)
            guard line.starts(with: start), line.count >= start.count + end.count,
                line.suffix(end.count).starts(with: end.dropLast(10))
            else { return Array(line) }
            let checksum = ByteBuffer()
            checksum.append(hexadecimal: Array(header).withUnsafeBytes { LineChecksum.hash($0) })
            return Array(line.dropLast(10)) + Array(checksum.bytes) + Array(end.suffix(2))
        }
        return Array(lines.joined(separator: [0x0A]))
    }

    /// Whether each line is read the same with a space after its first brace, which the store never writes: such a line is read
    /// key by key.
    static func readsAlike(_ bytes: [UInt8]) -> Bool {
        var decoder = EventLineDecoder(context: nil)
        return bytes.split(separator: 0x0A).allSatisfy { line in
            let line = Array(line)
            var other = decoder
            let spaced = line.first == UInt8(ascii: "{") ? [line[0], UInt8(ascii: " ")] + line.dropFirst() : line
            let first = line.withUnsafeBufferPointer { event(decoder.decode($0)) }
            let second = spaced.withUnsafeBufferPointer { event(other.decode($0)) }
            return first.map { first in second.map { Sameness.holds(first, $0) } ?? false } ?? (second == nil)
        }
    }

    /// Whether the outline of each line that has one and is read agrees with the event.
    static func outlinesAlike(_ bytes: [UInt8]) -> Bool {
        var decoder = EventLineDecoder(context: nil)
        return bytes.split(separator: 0x0A).allSatisfy { line in
            // A separate copy, so that the address sanitizer detects reads outside the line.
            let line = Array(line)
            let outline = line.withUnsafeBufferPointer { EventLineOutline($0) }
            guard let event = line.withUnsafeBufferPointer({ event(decoder.decode($0)) }), let outline else { return true }
            let places = [outline.text, outline.attributes].compactMap(\.self)
            return UInt64(outline.sequence) == event.sequence && (outline.text == nil) == (event.property1 == nil)
                && (outline.attributes != nil || event.attributes.isEmpty) && places.allSatisfy { line.indices.contains($0) }
                && (outline.level == nil || outline.level == event.level)
        }
    }

    private static func event(_ line: EventLineDecoder.EventLine) -> TelemetryEvent? {
        if case .event(let event) = line { event } else { nil }
    }

    /// Returns nil if an event has a date that cannot be written.
    static func lines(of events: [TelemetryEvent]) -> [UInt8]? {
        var encoder = EventLineEncoder()
        for event in events where !encoder.append(event) { return nil }
        return Array(encoder.buffer.bytes)
    }

    /// Parses the whole text as one value.
    static func value(_ text: [UInt8]) -> TelemetryValue? {
        text.withUnsafeBufferPointer { text in
            var scanner = JSONScanner(text)
            guard let value = scanner.value(), scanner.isAtEnd() else { return nil }
            return value
        }
    }

    /// Returns nil for a date that cannot be written.
    static func text(of value: TelemetryValue) -> [UInt8]? {
        let buffer = ByteBuffer()
        return buffer.append(value) ? Array(buffer.bytes) : nil
    }
}
