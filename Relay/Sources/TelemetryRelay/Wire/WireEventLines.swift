import Foundation
@_spi(Tooling) import TelemetrySystem

/// The body of a post of events as lines of the file store's segments: headers, each with the lines that refer to it.
///
/// Unlike the library's reader of segments, which skips damaged lines, this one refuses the whole body with a reason.
struct WireEventLines {
    private var header: WireLineHeader?
    private var events: WireEventCollector

    private init(limits: RelayLimits) { events = WireEventCollector(limits: limits, sharing: "the headers'") }

    /// - Parameter limits: bound the number of events in a batch, and the bytes of the events with what they take from headers.
    /// - Throws: `Problem`.
    static func read(_ body: some Sequence<UInt8>, limits: RelayLimits) throws -> RelayEventBatch {
        func events(_ body: UnsafeBufferPointer<UInt8>) throws -> RelayEventBatch {
            var lines = Self(limits: limits)
            var (start, number) = (0, 0)
            while start < body.count {
                let lineFeed = lineFeed(in: body, from: start)
                let end = lineFeed ?? body.count
                // An empty line is a deleted event.
                if start < end {
                    let isKept = try lineFeed.map {
                        try lines.events.append(line: UnsafeBufferPointer(rebasing: body[start...$0]))
                    }
                    if isKept != true { try lines.read(UnsafeBufferPointer(rebasing: body[start..<end]), number) }
                }
                (start, number) = (end + 1, number + 1)
            }
            return lines.events.batch
        }
        return try body.withContiguousStorageIfAvailable(events) ?? Array(body).withUnsafeBufferPointer(events)
    }

    private static func lineFeed(in body: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = body.baseAddress, let found = memchr(base + start, 0x0A, body.count - start) else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }

    /// Reads a line that is not kept as it is.
    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        let place = "lines[\(number)]"
        do {
            let line = try JSONReader.read(bytes) { try WireLine(&$0, below: header, place: place) }
            switch line {
            case .segment:
                guard number == 0 else { throw Problem.invalidArgument("\(place): only the first line may have a segment.") }
            case .header(let header):
                self.header = header
                events.begin(header)
            case .event(let fields): try events.append(fields, place: place)
            }
        } catch let error as JSONReaderError {
            throw Problem.invalidArgument("\(place) is malformed: \(error.description).")
        }
    }
}
