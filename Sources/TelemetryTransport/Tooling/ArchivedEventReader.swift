import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads events in the form of their coding from the lines of an archive, without creating strings for each.
struct ArchivedEventReader {
    /// The keys in the order of their bits.
    private static let keys: [StaticString] = [
        "eventId", "eventName", "eventTimestamp", "sessionId", "deviceType", "deviceName", "deviceModel", "osVersion",
        "appVersion", "threadId", "property1", "scenario", "logLevel", "clientid", "sequence", "attributes",
    ]
    private static let client: UInt16 = 1 << 13
    /// An event without one of these is left to the decoder: all but `property1`, `scenario`, `clientid` and `attributes`.
    private static let required: UInt16 = 0b0101_0011_1111_1111
    /// With more attributes, their names are compared by a set.
    private static let comparedAttributes = 16

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var events: [ArchivedBlock.Event] = []
    private(set) var attributes: [ArchivedBlock.Attribute] = []
    /// The strings that contain escapes, without them. Their places are those after the end of `bytes`.
    private(set) var unescaped: [UInt8] = []
    /// The origin of the event that was appended last.
    private(set) var origin: EventOrigin?
    /// Whether the event that was read last has the origin of the one that was appended last.
    private(set) var isOfOrigin = false

    private var timestamps = TimestampReader()
    /// The places of the keys of the previous event, in its order, which is mostly also that of the next.
    private var order: [Int] = []
    /// The strings of the origin of the line that was read last: client, session, and the device's.
    private var originTexts = [String](repeating: "", count: 7)
    /// The places of those strings, for comparison without the strings; none for one with escapes.
    private var originPlaces = [ArchivedText](repeating: .none, count: 7)
    private var device: TelemetryDeviceInfo?
    private var hasClient = false
    private var isOriginChanged = false

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Reads the event of a line; nil for one that is unusual or invalid, which a decoder has to examine.
    mutating func read(_ line: Range<Int>) -> ArchivedBlock.Event? {
        let (attributeCount, unescapedCount) = (attributes.count, unescaped.count)
        var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[line]))
        var event = ArchivedBlock.Event()
        var found: UInt16 = 0
        var index = 0
        let isRead = scanner.readObject { key, scanner in
            guard let place = place(of: key, at: index), found & 1 << place == 0 else { return false }
            index += 1
            found |= 1 << place
            return read(place, &scanner, &event)
        }
        guard isRead, scanner.isAtEnd(), found & Self.required == Self.required, areNamesDistinct(from: attributeCount) else {
            attributes.removeSubrange(attributeCount...)
            unescaped.removeSubrange(unescapedCount...)
            return nil
        }
        hasClient = found & Self.client != 0
        isOfOrigin = !isOriginChanged && origin.map { ($0.clientId != nil) == hasClient } == true
        if isOfSequence(event) { event.identifier = .none }
        event.attributesEnd = attributes.count
        return event
    }

    /// Appends the event that was read last.
    mutating func append(_ event: ArchivedBlock.Event) {
        if !isOfOrigin {
            let device = deviceInfo()
            origin = EventOrigin(clientId: hasClient ? originTexts[0] : nil, sessionId: originTexts[1], device: device)
            isOriginChanged = false
        }
        events.append(event)
    }

    /// The place of an event's key with this index; nil if it is unknown.
    private mutating func place(of key: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        if index < order.count, key.isIdentical(to: Self.keys[order[index]]) { return order[index] }
        guard let place = Self.keys.firstIndex(where: { key.isIdentical(to: $0) }) else { return nil }
        order.removeSubrange(min(index, order.count)...)
        order.append(place)
        return place
    }

    private mutating func read(_ place: Int, _ scanner: inout JSONScanner, _ event: inout ArchivedBlock.Event) -> Bool {
        switch place {
        case 0: return read(&event.identifier, &scanner)
        case 1: return read(&event.name, &scanner)
        case 2:
            guard let raw = scanner.rawString(), !raw.hasEscapes, let date = timestamps.date(from: raw.bytes) else {
                return false
            }
            event.timestamp = date
        case 3: return readOrigin(1, &scanner)
        case 4...8:
            return readOrigin(place - 2, &scanner)
        case 9: return read(&event.thread, &scanner)
        case 10: return read(&event.property1, &scanner)
        case 11: return read(&event.scenario, &scanner)
        case 12:
            guard let raw = scanner.rawString(), let level = TelemetryLogLevel(bytes: raw.bytes) else { return false }
            event.level = level
        case 13: return readOrigin(0, &scanner)
        case 14:
            guard let number = scanner.unsigned() else { return false }
            event.sequence = number
        default:
            return scanner.readObject { key, scanner in
                let hasEscapes = key.contains(UInt8(ascii: "\\"))
                guard let name = text(key, hasEscapes: hasEscapes), let value = value(&scanner) else { return false }
                attributes.append(.init(name: name, value: value))
                return true
            }
        }
        return true
    }

    private mutating func value(_ scanner: inout JSONScanner) -> ArchivedBlock.Attribute.Value? {
        guard scanner.peek() == UInt8(ascii: "\"") else { return scanner.value().map { .other($0) } }
        return scanner.rawString().flatMap { text($0.bytes, hasEscapes: $0.hasEscapes) }.map { .text($0) }
    }

    private mutating func read(_ text: inout ArchivedText, _ scanner: inout JSONScanner) -> Bool {
        guard let raw = scanner.rawString(), let found = self.text(raw.bytes, hasEscapes: raw.hasEscapes) else { return false }
        text = found
        return true
    }

    /// Reads a text of the origin, which is mostly the same as that of the previous event.
    private mutating func readOrigin(_ index: Int, _ scanner: inout JSONScanner) -> Bool {
        guard let raw = scanner.rawString() else { return false }
        if !raw.hasEscapes, let known = originPlaces[index].range,
            UnsafeBufferPointer(rebasing: bytes[known]).isIdentical(to: raw.bytes)
        {
            return true
        }
        guard let text = JSONScanner.text(ofRaw: raw.bytes), let place = place(of: raw.bytes) else { return false }
        originPlaces[index] = raw.hasEscapes ? .none : place
        if text.isIdentical(to: originTexts[index]) { return true }
        originTexts[index] = text
        isOriginChanged = true
        if index > 1 { device = nil }
        return true
    }

    /// The place of a text; nil if the bytes are not a valid one.
    private mutating func text(_ raw: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) -> ArchivedText? {
        if hasEscapes {
            guard let text = JSONScanner.text(ofRaw: raw) else { return nil }
            let start = bytes.count + unescaped.count
            unescaped.append(contentsOf: text.utf8)
            return ArchivedText(start..<bytes.count + unescaped.count)
        }
        guard raw.isASCII || JSONScanner.isText(raw) else { return nil }
        return place(of: raw)
    }

    private func place(of raw: UnsafeBufferPointer<UInt8>) -> ArchivedText? {
        guard let base = bytes.baseAddress, let first = raw.baseAddress else { return ArchivedText(0..<0) }
        return ArchivedText(first - base..<first - base + raw.count)
    }

    private func withBytes<Result>(of text: ArchivedText, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let range = text.range ?? 0..<0
        if range.upperBound <= bytes.count { return body(UnsafeBufferPointer(rebasing: bytes[range])) }
        return unescaped.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[range.lowerBound - bytes.count..<range.upperBound - bytes.count]))
        }
    }

    /// Whether the identifier consists of the session's, a dash and the sequence.
    private func isOfSequence(_ event: ArchivedBlock.Event) -> Bool {
        withBytes(of: event.identifier) { identifier in
            guard let number = EventNumber(identifier), number.number == event.sequence else { return false }
            guard let session = originPlaces[1].range else { return number.isPrefix(originTexts[1], of: identifier) }
            let prefix = UnsafeBufferPointer(rebasing: identifier[..<number.prefixCount])
            return UnsafeBufferPointer(rebasing: bytes[session]).isIdentical(to: prefix)
        }
    }

    /// Whether the attributes from an index have different names. Names that are equal by `==` are the same.
    private func areNamesDistinct(from start: Int) -> Bool {
        let added = attributes[start...]
        if added.count < 2 { return true }
        let isComparable =
            added.count <= Self.comparedAttributes && added.allSatisfy { withBytes(of: $0.name) { $0.isASCII } }
        guard isComparable else {
            return Set(added.map { withBytes(of: $0.name) { String(decoding: $0, as: UTF8.self) } }).count == added.count
        }
        for (index, attribute) in added.enumerated() {
            let isKnown = withBytes(of: attribute.name) { name in
                added.prefix(index).contains { withBytes(of: $0.name) { $0.isIdentical(to: name) } }
            }
            if isKnown { return false }
        }
        return true
    }

    private mutating func deviceInfo() -> TelemetryDeviceInfo {
        if let device { return device }
        let info = TelemetryDeviceInfo(
            deviceType: originTexts[2], deviceName: originTexts[3], deviceModel: originTexts[4], osVersion: originTexts[5],
            appVersion: originTexts[6])
        device = info
        return info
    }
}
