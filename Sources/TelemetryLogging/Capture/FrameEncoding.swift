import TelemetryModels

/// Encodes events and definitions as frames.
enum FrameEncoding {
    /// The most bytes that an event's frame takes without attributes.
    @inline(__always)
    static func maximumBytes(name: String, scenario: String?, property1: String?) -> Int {
        var size = Frame.headerBytes &+ Frame.fixedEventBytes &+ FrameWriter.size(of: name)
        if let scenario { size &+= FrameWriter.size(of: scenario) }
        if let property1 { size &+= FrameWriter.size(of: property1) }
        return size
    }

    /// Writes an event to memory, leaving out the frame's header.
    /// - Parameter memory: Memory with room for the event's frame, as ``maximumBytes(name:scenario:property1:)`` and
    ///   ``AttributeCoding/maximumBytes(of:)`` compute it.
    /// - Returns: the frame, valid as long as the memory.
    @inline(__always)
    static func encodeEvent(
        in memory: UnsafeMutableRawBufferPointer, name: String, scenario: String?, level: TelemetryLogLevel,
        property1: String?, attributes: [String: TelemetryValue], secondsSinceReference: Double, thread: UInt64
    ) -> EncodedFrame {
        var flags: Frame.Flags = level == .diagnostic ? .diagnostic : []
        if scenario != nil { flags.insert(.scenario) }
        if property1 != nil { flags.insert(.property) }
        if !attributes.isEmpty { flags.insert(.attributes) }
        // The caller provides the room.
        var writer = unsafe FrameWriter(memory, at: Frame.headerBytes)
        writer.write(flags.rawValue)
        writer.write(secondsSinceReference)
        writer.write(compact: thread)
        writer.write(text: name)
        if let scenario { writer.write(text: scenario) }
        if let property1 { writer.write(text: property1) }
        if !attributes.isEmpty { AttributeCoding.write(attributes, to: &writer) }
        let count = Frame.pad(&writer)
        // All bytes after the header were written.
        return unsafe EncodedFrame(UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped), count: count)
    }

    /// Returns the frame of an event that was captured from a ring. Its header is zero.
    /// - Parameter content: The bytes after the header of the event's frame; not empty.
    static func captured(_ content: ByteView, identity: UInt64) -> [UInt8] {
        FrameWriter.bytes(capacity: Frame.headerBytes + content.count + Frame.identityBytes) { writer in
            writer.write(UInt64(0))
            let flags = content.load(UInt8.self, at: 0).map(Frame.Flags.init(rawValue:)) ?? []
            writer.write(flags.union(.captured).rawValue)
            writer.write(contentsOf: content[1..<content.count])
            writer.write(identity)
        }
    }

    /// Returns a frame that states the client of the events after it, and since when they were logged. Its header is zero.
    static func definition(clientId: String?, begun: BootTime?) -> [UInt8] {
        let text = clientId ?? ""
        let capacity = Frame.headerBytes + 2 + FrameWriter.size(of: text) + 16 + 4
        return FrameWriter.bytes(capacity: capacity) { writer in
            writer.write(UInt64(0))
            writer.write(Frame.Flags.definition.rawValue)
            writer.write(UInt8(clientId == nil ? 0 : 1))
            writer.write(text: text)
            if let begun {
                writer.write(begun.boot)
                writer.write(begun.seconds)
            }
            _ = Frame.pad(&writer)
        }
    }
}
