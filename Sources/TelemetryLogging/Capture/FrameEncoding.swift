import TelemetryModels

/// Events and definitions as frames.
enum FrameEncoding {
    /// The most bytes that an event's frame takes, attributes left out.
    @inline(__always)
    static func maximumBytes(name: String, scenario: String?, property1: String?) -> Int {
        var size = Frame.headerBytes &+ Frame.fixedEventBytes &+ FrameWriter.size(of: name)
        if let scenario { size &+= FrameWriter.size(of: scenario) }
        if let property1 { size &+= FrameWriter.size(of: property1) }
        return size
    }

    /// Writes an event's frame from its flags on, leaving out length and checksum; returns where it ends.
    @inline(__always)
    static func writeEvent(
        to frame: UnsafeMutableRawPointer, name: String, scenario: String?, level: TelemetryLogLevel, property1: String?,
        attributes: [String: TelemetryValue], secondsSinceReference: Double, thread: UInt64
    ) -> Int {
        var flags: Frame.Flags = level == .diagnostic ? .diagnostic : []
        if scenario != nil { flags.insert(.scenario) }
        if property1 != nil { flags.insert(.property) }
        if !attributes.isEmpty { flags.insert(.attributes) }
        var writer = FrameWriter(frame, at: Frame.headerBytes)
        writer.write(flags.rawValue)
        writer.write(secondsSinceReference)
        writer.write(compact: thread)
        writer.write(text: name)
        if let scenario { writer.write(text: scenario) }
        if let property1 { writer.write(text: property1) }
        if !attributes.isEmpty { AttributeCoding.write(attributes, to: &writer) }
        return Frame.pad(&writer)
    }

    /// A frame that says whose the events behind it are, and since when they were logged.
    static func definition(clientId: String?, begun: BootTime?) -> [UInt8] {
        let text = clientId ?? ""
        var bytes = [UInt8](repeating: 0, count: Frame.headerBytes + 2 + FrameWriter.size(of: text) + 16 + 4)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var writer = FrameWriter(base, at: Frame.headerBytes)
            writer.write(Frame.Flags.definition.rawValue)
            writer.write(UInt8(clientId == nil ? 0 : 1))
            writer.write(text: text)
            // Readers of the version before stop in front of it.
            if let begun {
                writer.write(begun.boot)
                writer.write(begun.seconds)
            }
            let count = Frame.pad(&writer)
            buffer.storeBytes(of: UInt32(count), as: UInt32.self)
        }
        let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension CaptureSegment {
    /// Appends what ``FrameEncoding/definition(clientId:)`` made.
    mutating func appendDefinition(_ definition: [UInt8]) {
        var frame = definition
        frame.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let body = Frame.headerBytes
            append(
                base, count: buffer.count, bodyChecksum: Frame.checksum(of: base + body, count: buffer.count - body),
                sequence: Frame.definitionSequence)
        }
    }
}
