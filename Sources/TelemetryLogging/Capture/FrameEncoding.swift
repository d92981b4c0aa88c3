/// Whole frames, made apart from the fast path.
enum FrameEncoding {
    /// A frame that says whose the events behind it are.
    static func definition(clientId: String?) -> [UInt8] {
        let text = clientId ?? ""
        var bytes = [UInt8](repeating: 0, count: Frame.headerBytes + 1 + FrameWriter.size(of: text) + 4)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var writer = FrameWriter(base, at: Frame.headerBytes - 1)
            writer.write(Frame.Flags.definition.rawValue)
            writer.write(UInt8(clientId == nil ? 0 : 1))
            writer.write(text: text)
            let count = Frame.pad(&writer)
            buffer.storeBytes(of: UInt32(count), as: UInt32.self)
        }
        let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

extension Segment {
    /// Appends what ``FrameEncoding/definition(clientId:)`` made.
    mutating func appendDefinition(_ definition: [UInt8]) {
        var frame = definition
        frame.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let body = Frame.headerBytes - 1
            append(
                base, count: buffer.count,
                bodyChecksum: Frame.checksum(of: base + body, count: buffer.count - body), sequence: baseSequence)
        }
    }
}
