import Foundation
import TelemetryModels
import TelemetryTransport

/// The events of a batch as a copy of their frames, which this process wrote.
struct LoggedEvents: EncodedEvents {
    let origin: EventOrigin
    let count: Int
    private let firstSequence: UInt64
    private let frames: [UInt8]

    /// - Parameters:
    ///   - frames: Whole frames of events, without definitions.
    ///   - count: Their number.
    init(_ frames: ByteView, count: Int, firstSequence: UInt64, origin: EventOrigin) {
        self.frames = frames.array
        self.count = count
        self.firstSequence = firstSequence
        self.origin = origin
    }

    func forEach(_ body: (EventFields) throws -> Void) throws {
        var thread = DecimalText()
        var attributes: [EventAttributes.Field] = []
        try forEachFrame { frame, sequence in
            guard let fields = FrameFields(frame) else { throw Self.unreadable }
            thread.set(fields.thread)
            guard let identity = fields.identity else {
                attributes.removeAll(keepingCapacity: true)
                guard Self.add(fields, of: frame, to: &attributes) else { throw Self.unreadable }
                return try unsafe Self.pass(fields, of: frame, sequence, .fields(attributes), thread, identifier: nil, to: body)
            }
            guard let values = fields.attributes(in: frame) else { throw Self.unreadable }
            let identifier = Array(CapturedEvent.eventId(ofRecorded: identity).utf8)
            // The array keeps its bytes during the call.
            try unsafe identifier.withUnsafeBufferPointer {
                try unsafe Self.pass(fields, of: frame, sequence, .values(values), thread, identifier: $0, to: body)
            }
        }
    }

    /// Adds the attributes of an event, whose strings exist as long as the frame's bytes.
    @inline(__always)
    private static func add(_ fields: FrameFields, of frame: ByteView, to attributes: inout [EventAttributes.Field]) -> Bool {
        // The frame's bytes exist as long as this batch; `forEachAttribute` checked the places.
        unsafe frame.withUnsafeBytes { bytes in
            let all = unsafe bytes.bindMemory(to: UInt8.self)
            return fields.forEachAttribute(in: frame) { name, value in
                let field: EventAttributes.Field.Value =
                    switch value {
                    case .text(let place): unsafe .text(.init(rebasing: all[place]))
                    case .other(let value): .other(value)
                    }
                unsafe attributes.append(.init(name: .init(rebasing: all[name]), value: field))
            }
        }
    }

    @inline(__always)
    private static func pass(
        _ fields: FrameFields, of frame: ByteView, _ sequence: UInt64, _ attributes: EventAttributes,
        _ thread: DecimalText, identifier: UnsafeBufferPointer<UInt8>?, to body: (EventFields) throws -> Void
    ) throws {
        // The strings are within the frame, whose bytes exist during the call. `FrameFields` checked their places.
        try unsafe frame.withUnsafeBytes { bytes in
            try unsafe thread.digits.withUnsafeBufferPointer { thread in
                let all = unsafe bytes.bindMemory(to: UInt8.self)
                try unsafe body(
                    EventFields(
                        sequence: sequence, timestamp: Date(timeIntervalSinceReferenceDate: fields.seconds),
                        level: fields.flags.contains(.diagnostic) ? .diagnostic : .info,
                        name: .init(rebasing: all[fields.name]), thread: thread,
                        scenario: fields.scenario.map { unsafe .init(rebasing: all[$0]) },
                        property1: fields.property1.map { unsafe .init(rebasing: all[$0]) }, attributes: attributes,
                        identifier: identifier))
            }
        }
    }

    func decoded() -> [TelemetryEvent] {
        var decoder = FrameDecoder(origin: origin, firstSequence: firstSequence)
        var events: [TelemetryEvent] = []
        events.reserveCapacity(count)
        // There are fewer events than ``count`` if the frames were changed after they were checked.
        try? forEachFrame { frame, _ in if !decoder.decode(frame, into: &events) { throw Self.unreadable } }
        return events
    }

    func part(_ range: Range<Int>) -> any EncodedEvents {
        var offsets = frames.count..<frames.count
        var end = 0
        var index = 0
        try? forEachFrame { frame, _ in
            if index == range.lowerBound { offsets = end..<frames.count }
            if index == range.upperBound { offsets = offsets.lowerBound..<end }
            end += frame.count
            index += 1
        }
        return frames.withByteView { bytes in
            LoggedEvents(
                bytes[offsets], count: range.count, firstSequence: firstSequence &+ UInt64(range.lowerBound), origin: origin)
        }
    }

    @inline(__always)
    private func forEachFrame(_ body: (_ frame: ByteView, _ sequence: UInt64) throws -> Void) throws {
        try frames.withByteView { bytes in
            var offset = 0
            var sequence = firstSequence
            while offset < bytes.count {
                guard let length = FrameDecoder.length(at: offset, in: bytes) else { throw Self.unreadable }
                try body(bytes[offset..<(offset + length)], sequence)
                offset += length
                sequence &+= 1
            }
        }
    }

    /// The frames were changed after they were checked, which only another program can do. They are read again.
    private static var unreadable: TelemetryTransportError {
        TelemetryTransportError(code: .corrupted, message: "Events that waited for delivery can no longer be read.")
    }
}

/// The digits of a number that seldom changes.
private struct DecimalText {
    private var number: UInt64?
    private(set) var digits: [UInt8] = []

    mutating func set(_ number: UInt64) {
        if number == self.number { return }
        self.number = number
        digits = Array("\(number)".utf8)
    }
}
