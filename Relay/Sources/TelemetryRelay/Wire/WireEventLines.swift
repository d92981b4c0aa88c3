@_spi(Tooling) import TelemetrySystem

/// The body of a post of events as lines of the file store's segments: headers, each with the lines that refer to it.
///
/// Unlike the library's reader of segments, which skips damaged lines, this one refuses the whole body with a reason.
struct WireEventLines {
    private let limits: RelayLimits
    private var header: WireLineHeader?
    private var events: [RelayEvent] = []
    /// The size of the events in JSON.
    private var bytes = 0

    private init(limits: RelayLimits) { self.limits = limits }

    /// - Parameter limits: bound the number of events in a batch, and the bytes of the events with what they take from headers.
    /// - Throws: `Problem`.
    static func read(_ body: some Sequence<UInt8>, limits: RelayLimits) throws -> [RelayEvent] {
        func events(_ body: UnsafeBufferPointer<UInt8>) throws -> [RelayEvent] {
            var lines = Self(limits: limits)
            var (start, number) = (0, 0)
            while start < body.count {
                let end = body[start...].firstIndex(of: UInt8(ascii: "\n")) ?? body.count
                // An empty line is a deleted event.
                if start < end { try lines.read(UnsafeBufferPointer(rebasing: body[start..<end]), number) }
                (start, number) = (end + 1, number + 1)
            }
            return lines.events
        }
        return try body.withContiguousStorageIfAvailable(events) ?? Array(body).withUnsafeBufferPointer(events)
    }

    private mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        let place = "lines[\(number)]"
        do {
            let line = try JSONReader.read(bytes) { try WireLine(&$0, below: header, place: place) }
            switch line {
            case .segment:
                guard number == 0 else { throw Problem.invalidArgument("\(place): only the first line may have a segment.") }
            case .header(let header): self.header = header
            case .event(let fields): try append(fields.event(place: place))
            }
        } catch let error as JSONReaderError {
            throw Problem.invalidArgument("\(place) is malformed: \(error.description).")
        }
    }

    private mutating func append(_ event: RelayEvent) throws {
        guard events.count < limits.batchEvents else {
            throw Problem.tooLarge("A batch has at most \(limits.batchEvents) events.")
        }
        bytes += event.json.utf8.count
        guard bytes <= limits.bodyBytes else {
            throw Problem.tooLarge("With the headers' fields, the events have more than \(limits.bodyBytes) bytes.")
        }
        events.append(event)
    }
}
