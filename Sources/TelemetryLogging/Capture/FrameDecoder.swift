import Foundation
import TelemetryModels

/// Decodes frames to events, reusing texts that consecutive events share.
struct FrameDecoder {
    private let session: Session
    private let device: TelemetryDeviceInfo
    private let idPrefix: [UInt8]
    var clientId: String?
    /// Since when the events after the last definition were logged, if the definition states it.
    private(set) var begun: BootTime?
    /// The sequence of the next event.
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

    /// The length of the frame at an offset; nil at the end, and if there is no whole frame.
    static func length(at offset: Int, in bytes: ByteView) -> Int? {
        guard let stored = bytes.load(UInt32.self, at: offset) else { return nil }
        let length = Int(clamping: stored)
        guard length >= Frame.headerBytes, length <= bytes.count - offset else { return nil }
        return length
    }

    /// Whether a frame, which may be damaged, has the flag of a definition.
    static func isDefinition(_ frame: ByteView) -> Bool {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        return reader.read(UInt8.self).map { Frame.Flags(rawValue: $0).contains(.definition) } ?? false
    }

    /// When the event in a frame was logged, in seconds since 2001; nil if the frame is a definition.
    static func timestamp(ofEvent frame: ByteView) -> Double? {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        guard let flags: UInt8 = reader.read(), !Frame.Flags(rawValue: flags).contains(.definition) else { return nil }
        return reader.read(Double.self)
    }

    /// Decodes a whole frame: appends its event or, for a definition, stores the client of the events after it. Returns false if
    /// the frame cannot be decoded.
    mutating func decode(_ frame: ByteView, into events: inout [TelemetryEvent]) -> Bool {
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
        var identifier: String?
        if flags.contains(.captured) {
            guard let identity = frame.load(UInt64.self, at: frame.count - Frame.identityBytes) else { return false }
            identifier = CapturedEvent.eventId(ofRecorded: identity)
            attributes[CapturedEvent.capturedAttribute] = true
        }
        events.append(
            TelemetryEvent(
                eventId: identifier ?? eventId(sequence), clientId: clientId, sessionId: session.id, sequence: sequence,
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

    /// The same as `EventIdentifier.make`, without string interpolation for each event.
    private func eventId(_ sequence: UInt64) -> String {
        // The buffer has room for the prefix and the 20 digits of the largest sequence.
        unsafe String(unsafeUninitializedCapacity: idPrefix.count + 20) { buffer in
            var end = unsafe buffer.initialize(fromContentsOf: idPrefix)
            let first = end
            var rest = sequence
            repeat {
                unsafe buffer[end] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
                end += 1
            } while rest > 0
            unsafe buffer[first..<end].reverse()
            return end
        }
    }
}

/// The last decoded text, kept because the next one is often the same.
private struct TextCache {
    private var bytes: [UInt8] = []
    private var text = ""

    mutating func text(of source: ByteView) -> String {
        if bytes.withByteView({ $0 == source }) { return text }
        bytes = source.array
        text = source.text
        return text
    }
}
