import TelemetrySystem

/// The lines of an archive, read faster than by a decoder; for the separate package of tools, not part of the interface.
@_spi(Tooling)
public enum ArchivedLines: Sendable {
    /// Consecutive events of one client and session, at most as many as are stored at once.
    case events(TelemetryEventBatch)
    /// The range in the bytes of a line that is unusual, invalid or not an event, which a decoder has to examine.
    case other(Range<Int>)

    /// Reads complete lines, in order.
    ///
    /// - Parameters:
    ///   - bytes: Bytes that contain the lines.
    ///   - range: The range of the lines in them. The last line may lack a line feed.
    public static func read(_ bytes: [UInt8], in range: Range<Int>) -> [ArchivedLines] {
        /// Consecutive lines of one kind. The events' indices are those in the block.
        enum Run { case events(EventOrigin, Range<Int>), other(Range<Int>) }
        var runs: [Run] = []
        let block = bytes.withUnsafeBufferPointer { all in
            var reader = ArchivedEventReader(all)
            var first = 0
            func endRun() {
                if let origin = reader.origin, reader.events.count > first {
                    runs.append(.events(origin, first..<reader.events.count))
                }
                first = reader.events.count
            }
            var start = range.lowerBound
            while start < range.upperBound {
                let line = start..<min(all.lineFeed(from: start) ?? range.upperBound, range.upperBound)
                start = line.upperBound + 1
                guard let event = reader.read(line) else {
                    endRun()
                    runs.append(.other(line))
                    continue
                }
                if !reader.isOfOrigin || reader.events.count - first >= EventWriter.batchSize { endRun() }
                reader.append(event)
            }
            endRun()
            let all = reader.unescaped.isEmpty ? bytes : bytes + reader.unescaped
            return ArchivedBlock(bytes: all, events: reader.events, attributes: reader.attributes)
        }
        return runs.map { run in
            switch run {
            case .events(let origin, let range):
                .events(TelemetryEventBatch(ArchivedEvents(origin: origin, block: block, range: range)))
            case .other(let line): .other(line)
            }
        }
    }
}
