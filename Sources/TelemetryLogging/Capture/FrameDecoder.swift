import Foundation
import TelemetryModels
import TelemetryTransport

/// Decodes frames to events, reusing strings that consecutive events share.
struct FrameDecoder {
    private let sessionId: String
    private let device: TelemetryDeviceInfo
    var clientId: String?
    /// Since when the events after the last definition were logged, if the definition states it.
    private(set) var begun: BootTime?
    /// The sequence of the next event.
    var sequence: UInt64
    private var name = TextCache()
    private var scenario = TextCache()
    private var thread: (number: UInt64, text: String) = (0, "0")

    init(session: Session, clientId: String?, firstSequence: UInt64) {
        self.init(
            origin: EventOrigin(clientId: clientId, sessionId: session.id, device: session.device), firstSequence: firstSequence)
    }

    init(origin: EventOrigin, firstSequence: UInt64) {
        sessionId = origin.sessionId
        sequence = firstSequence
        device = origin.device
        clientId = origin.clientId
    }

    /// What the events after the last definition have in common.
    var origin: EventOrigin { EventOrigin(clientId: clientId, sessionId: sessionId, device: device) }

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
        guard let fields = FrameFields(frame), let attributes = fields.attributes(in: frame) else { return false }
        events.append(
            TelemetryEvent(
                eventId: fields.identity.map { CapturedEvent.eventId(ofRecorded: $0) }
                    ?? EventIdentifier.make(sessionId: sessionId, sequence: sequence),
                clientId: clientId,
                sessionId: sessionId, sequence: sequence, name: name.text(of: frame[fields.name]),
                timestamp: Date(timeIntervalSinceReferenceDate: fields.seconds), device: device,
                threadId: threadText(fields.thread), property1: fields.property1.map { frame[$0].text }, attributes: attributes,
                scenario: fields.scenario.map { scenario.text(of: frame[$0]) },
                level: flags.contains(.diagnostic) ? .diagnostic : .info))
        sequence &+= 1
        return true
    }

    /// Passes over an event's frame without decoding it. Returns false if it cannot be decoded.
    mutating func skip(_ frame: ByteView) -> Bool {
        guard let fields = FrameFields(frame), fields.hasReadableAttributes(in: frame) else { return false }
        sequence &+= 1
        return true
    }

    private mutating func threadText(_ number: UInt64) -> String {
        if number != thread.number { thread = (number, "\(number)") }
        return thread.text
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
