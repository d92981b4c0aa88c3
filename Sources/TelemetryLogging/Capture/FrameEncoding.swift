import TelemetryModels

/// Encodes events and definitions as frames.
enum FrameEncoding {
    /// Writes an event to memory, leaving out the frame's header.
    /// - Parameter memory: Memory with room for ``CapturedEvent/maximumFrameBytes``.
    /// - Returns: the frame, valid as long as the memory.
    static func encode(_ event: borrowing CapturedEvent, in memory: UnsafeMutableRawBufferPointer) -> EncodedFrame {
        // The caller provides the room.
        unsafe encode(event, with: event.attributes, in: memory)
    }

    /// Writes an event to memory, leaving out the frame's header.
    /// - Parameters:
    ///   - attributes: The attributes to write in place of the event's. Their names are different.
    ///   - memory: Memory with room for ``CapturedEvent/maximumFrameBytes(with:)``.
    /// - Returns: the frame, valid as long as the memory.
    @inline(__always)
    static func encode(
        _ event: borrowing CapturedEvent, with attributes: some Collection<(key: String, value: TelemetryValue)>,
        in memory: UnsafeMutableRawBufferPointer
    ) -> EncodedFrame {
        var flags: Frame.Flags = event.level == .diagnostic ? .diagnostic : []
        if event.scenario != nil { flags.insert(.scenario) }
        if event.property1 != nil { flags.insert(.property) }
        if !attributes.isEmpty { flags.insert(.attributes) }
        // The caller provides the room.
        var writer = unsafe FrameWriter(memory, at: Frame.headerBytes)
        writer.write(flags.rawValue)
        writer.write(event.secondsSinceReference)
        writer.write(compact: event.thread)
        writer.write(text: event.name)
        if let scenario = event.scenario { writer.write(text: scenario) }
        if let property1 = event.property1 { writer.write(text: property1) }
        if !attributes.isEmpty { AttributeCoding.write(attributes, to: &writer) }
        let count = Frame.pad(&writer)
        // All bytes after the header were written.
        return unsafe EncodedFrame(UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped), count: count)
    }

    /// Returns the frame of an event that was dumped from a ring. Its header is zero.
    /// - Parameter content: The bytes after the header of the event's frame; not empty.
    static func dumped(_ content: ByteView, identity: UInt64) -> [UInt8] {
        FrameWriter.bytes(capacity: Frame.headerBytes + content.count + Frame.identityBytes) { writer in
            writer.write(UInt64(0))
            let flags = content.load(UInt8.self, at: 0).map(Frame.Flags.init(rawValue:)) ?? []
            writer.write(flags.union(.dumped).rawValue)
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
