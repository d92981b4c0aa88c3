import TelemetrySystem

/// The segment that one transport appends a client's events to, and the write position.
final class SegmentWriter {
    let name: String
    let path: String
    var size: UInt64
    var lineCount: UInt64
    /// The current header and its offset.
    var context: EventContext?
    /// What is known of the lines below it, and their bytes.
    private var repeated = RepeatedTexts()
    private var bytesBelowHeader = 0
    var header: (line: UInt64, offset: UInt64) = (0, 0)
    private var opened: OpenFile?

    /// Creates a new segment.
    init(name: String, path: String, system: FileSystem) throws(FileError) {
        self.name = name
        self.path = path
        let file = try system.open(path, for: .create)
        let preamble = SegmentForm.asWritten.firstLine
        do { try file.write(preamble) } catch {
            try? system.remove(path)
            throw error
        }
        opened = file
        size = UInt64(preamble.count)
        lineCount = 1
    }

    func close() { opened = nil }

    /// The open file; nil if the segment was removed or changed, and a new one is needed.
    func file(_ system: FileSystem) throws(FileError) -> OpenFile? {
        let file: OpenFile
        if let opened {
            file = opened
        } else {
            do { file = try system.open(path, for: .write) } catch  where error.isNotFound { return nil }
        }
        let status = try file.status()
        guard status.isLinked, status.size == size else { return nil }
        opened = file
        return file
    }

    /// Prepares the encoder for the next lines.
    func begin(_ encoder: inout EventLineEncoder) {
        encoder.begin(below: context, distance: bytesBelowHeader, repeated: repeated)
        // Moved, so that the encoder changes it in place. After an append that failed, nothing is known.
        repeated = RepeatedTexts()
    }

    /// Moves the position after the appended lines.
    func advance(over encoder: inout EventLineEncoder) {
        if let last = encoder.header {
            header = (lineCount + UInt64(last.line), size + UInt64(last.offset))
        }
        context = encoder.context
        repeated = encoder.takeRepeated()
        bytesBelowHeader = encoder.bytesBelowHeader
        size += UInt64(encoder.buffer.count)
        lineCount += UInt64(encoder.lineCount)
    }
}
