import Foundation
import TelemetryModels

/// What a caller logged, before it has an identity.
struct EventDraft {
    var name: String
    var scenario: String?
    var level: TelemetryLogLevel
    var property1: String?
    var attributes: [String: TelemetryValue]
    var secondsSinceReference: Double
    var thread: UInt64

    /// The most bytes that the event's frame takes.
    @inline(__always)
    var maximumFrameBytes: Int {
        var size = Frame.headerBytes &+ Frame.fixedEventBytes &+ 8 &+ FrameWriter.size(of: name)
        if let scenario { size &+= FrameWriter.size(of: scenario) }
        if let property1 { size &+= FrameWriter.size(of: property1) }
        if !attributes.isEmpty { size &+= AttributeCoding.maximumBytes(of: attributes) }
        return size
    }

    /// Writes the frame from its flags on, leaving out length, checksum and sequence; returns where it ends.
    @inline(__always)
    func writeBody(to frame: UnsafeMutableRawPointer) -> Int {
        var flags: Frame.Flags = level == .diagnostic ? .diagnostic : []
        if scenario != nil { flags.insert(.scenario) }
        if property1 != nil { flags.insert(.property) }
        if !attributes.isEmpty { flags.insert(.attributes) }
        let isWide = thread > UInt64(UInt32.max)
        if isWide { flags.insert(.wideThread) }
        var writer = FrameWriter(frame, at: Frame.headerBytes - 1)
        writer.write(flags.rawValue)
        writer.write(secondsSinceReference)
        if isWide { writer.write(thread) } else { writer.write(UInt32(truncatingIfNeeded: thread)) }
        writer.write(text: name)
        if let scenario { writer.write(text: scenario) }
        if let property1 { writer.write(text: property1) }
        if !attributes.isEmpty { AttributeCoding.write(attributes, to: &writer) }
        return Frame.pad(&writer)
    }
}

/// Attributes as bytes.
enum AttributeCoding {
    static func maximumBytes(of attributes: [String: TelemetryValue]) -> Int {
        attributes.reduce(FrameWriter.lengthBytes) { size, attribute in
            let value = if case .string(let text) = attribute.value { FrameWriter.size(of: text) } else { 8 }
            return size + FrameWriter.size(of: attribute.key) + 1 + value
        }
    }

    static func write(_ attributes: [String: TelemetryValue], to writer: inout FrameWriter) {
        writer.writeLength(attributes.count)
        for (key, value) in attributes {
            writer.write(text: key)
            switch value {
            case .string(let text):
                writer.write(UInt8(0))
                writer.write(text: text)
            case .int(let number):
                writer.write(UInt8(1))
                writer.write(number)
            case .double(let number):
                writer.write(UInt8(2))
                writer.write(number)
            case .bool(let isTrue): writer.write(UInt8(isTrue ? 4 : 3))
            case .date(let date):
                writer.write(UInt8(5))
                writer.write(date.timeIntervalSinceReferenceDate)
            }
        }
    }

    static func read(from reader: inout FrameReader) -> [String: TelemetryValue]? {
        guard let count = reader.readLength() else { return nil }
        var attributes: [String: TelemetryValue] = [:]
        for _ in 0..<count {
            guard let key = reader.readText(), let value = readValue(from: &reader) else { return nil }
            attributes[key] = value
        }
        return attributes
    }

    private static func readValue(from reader: inout FrameReader) -> TelemetryValue? {
        switch reader.read(UInt8.self) {
        case 0: reader.readText().map(TelemetryValue.string)
        case 1: reader.read(Int64.self).map(TelemetryValue.int)
        case 2: reader.read(Double.self).map(TelemetryValue.double)
        case 3: .bool(false)
        case 4: .bool(true)
        case 5: reader.read(Double.self).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: nil
        }
    }
}

extension EventDraft {
    /// Shows the event to the host's hook and takes over what it changed; false if it refused the event.
    mutating func pass(through process: (inout TelemetryEvent) -> Bool, sessionId: String) -> Bool {
        var event = TelemetryEvent(
            eventId: "", sessionId: sessionId, name: name,
            timestamp: Date(timeIntervalSinceReferenceDate: secondsSinceReference), threadId: "\(thread)",
            property1: property1, attributes: attributes, scenario: scenario, level: level)
        guard process(&event) else { return false }
        name = event.name
        scenario = event.scenario
        level = event.level
        property1 = event.property1
        attributes = event.attributes
        secondsSinceReference = event.timestamp.timeIntervalSinceReferenceDate
        return true
    }
}
