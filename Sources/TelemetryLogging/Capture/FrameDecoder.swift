import Foundation
import TelemetryModels

/// Turns frames back into events, reusing the texts that neighbours share.
struct FrameDecoder {
    private let session: Session
    private let device: TelemetryDeviceInfo
    private let idPrefix: [UInt8]
    var clientId: String?
    /// Since when the events behind the last definition were logged, where it says so.
    private(set) var begun: BootTime?
    /// The next event's.
    var sequence: UInt64
    private var name = TextCache()
    private var scenario = TextCache()
    private var thread: (number: UInt64, text: String) = (0, "0")

    init(session: Session, clientId: String?, firstSequence: UInt64) {
        self.session = session
        sequence = firstSequence
        device = session.device
        idPrefix = Array("\(session.id)-".utf8)
        self.clientId = clientId
    }

    /// The length of the frame at an offset; nil at the end, and where there is no whole frame.
    static func length(at offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count - offset >= Frame.headerBytes else { return nil }
        let length = Int(truncatingIfNeeded: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        guard length >= Frame.headerBytes, length <= bytes.count - offset else { return nil }
        return length
    }

    /// Whether a frame, however little of it can be believed, says that it is no event.
    static func isDefinition(_ frame: UnsafeRawBufferPointer) -> Bool {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        return reader.read(UInt8.self).map { Frame.Flags(rawValue: $0).contains(.definition) } ?? false
    }

    /// When the event in a frame was logged, in seconds since 2001; nil if the frame is a definition.
    static func timestamp(ofEvent frame: UnsafeRawBufferPointer) -> Double? {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        guard let flags: UInt8 = reader.read(), !Frame.Flags(rawValue: flags).contains(.definition) else { return nil }
        return reader.read(Double.self)
    }

    /// Reads the frame in these bytes, which are exactly its own: appends its event or, for a definition, notes whose the events
    /// behind it are; false if it cannot be read.
    mutating func decode(_ frame: UnsafeRawBufferPointer, into events: inout [TelemetryEvent]) -> Bool {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        guard let rawFlags: UInt8 = reader.read() else { return false }
        let flags = Frame.Flags(rawValue: rawFlags)
        if flags.contains(.definition) {
            guard let isSet: UInt8 = reader.read(), let text = reader.readText() else { return false }
            clientId = isSet == 0 ? nil : text
            begun = nil
            if let boot: UInt64 = reader.read(), let seconds: Double = reader.read() {
                begun = BootTime(boot: boot, seconds: seconds)
            }
            return true
        }
        guard let seconds: Double = reader.read(), let number = reader.readCompact(), let nameBytes = reader.readBytes()
        else { return false }
        var scenarioText: String?
        if flags.contains(.scenario) {
            guard let bytes = reader.readBytes() else { return false }
            scenarioText = scenario.text(of: bytes)
        }
        var property: String?
        if flags.contains(.property) {
            guard let text = reader.readText() else { return false }
            property = text
        }
        var attributes: [String: TelemetryValue] = [:]
        if flags.contains(.attributes) {
            guard let read = AttributeCoding.read(from: &reader) else { return false }
            attributes = read
        }
        events.append(
            TelemetryEvent(
                eventId: eventId(sequence), clientId: clientId, sessionId: session.id, sequence: sequence,
                name: name.text(of: nameBytes), timestamp: Date(timeIntervalSinceReferenceDate: seconds), device: device,
                threadId: threadText(number), property1: property, attributes: attributes, scenario: scenarioText,
                level: flags.contains(.diagnostic) ? .diagnostic : .info))
        sequence &+= 1
        return true
    }

    private mutating func threadText(_ number: UInt64) -> String {
        if number != thread.number { thread = (number, "\(number)") }
        return thread.text
    }

    /// What `EventIdentifier.make` gives, without going through interpolation for each event.
    private func eventId(_ sequence: UInt64) -> String {
        String(unsafeUninitializedCapacity: idPrefix.count + 20) { buffer in
            var end = buffer.initialize(fromContentsOf: idPrefix)
            let first = end
            var rest = sequence
            repeat {
                buffer[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                end += 1
            } while rest > 0
            buffer[first..<end].reverse()
            return end
        }
    }
}

/// The last text read, kept because the next one is often the same.
private struct TextCache {
    private var bytes: [UInt8] = []
    private var text = ""

    mutating func text(of source: UnsafeRawBufferPointer) -> String {
        let isSame = bytes.withUnsafeBytes { known in
            guard known.count == source.count, let first = known.baseAddress, let second = source.baseAddress else {
                return false
            }
            return ByteHash.areEqual(first, second, count: known.count)
        }
        if isSame { return text }
        bytes = Array(source)
        text = String(decoding: source, as: UTF8.self)
        return text
    }
}
