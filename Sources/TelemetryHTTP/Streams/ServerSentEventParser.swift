import Foundation

/// A server-sent event.
struct ServerSentEvent: Sendable, Equatable {
    /// The stream's last identifier, which an earlier event may have set.
    var id: String?
    var name: String
    var data: String
}

/// A line or an event of a stream is larger than any that a relay sends.
struct OversizedServerSentEvent: Error, Equatable {}

/// Parses `text/event-stream` as in the HTML standard, 9.2.6, in pieces of any size.
///
/// Lines end with CR, LF or both. A byte order mark before the first line is skipped, invalid UTF-8 is replaced, and an
/// incomplete event at the end is discarded.
struct ServerSentEventParser {
    /// The maximum size of a line and of an event's data, in bytes.
    static let maximumEventBytes = 4 << 20

    /// The reconnection delay that the stream last set.
    private(set) var retry: Duration?
    /// The last identifier of a complete event.
    private(set) var lastEventID: String?

    private let maximumBytes: Int
    private var line: [UInt8] = []
    private var endedWithCR = false
    private var isFirstLine = true
    private var idBuffer: String?
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    init(maximumBytes: Int = maximumEventBytes) { self.maximumBytes = maximumBytes }

    /// Parses the next piece and returns the events that it completes.
    mutating func consume(_ piece: Data) throws(OversizedServerSentEvent) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var rest = piece[...]
        while !rest.isEmpty {
            if endedWithCR {
                endedWithCR = false
                // The LF of a CR LF whose CR ended the previous piece or line.
                if rest.first == 0x0A {
                    rest = rest.dropFirst()
                    continue
                }
            }
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D }
            line.append(contentsOf: rest[..<(end ?? rest.endIndex)])
            guard line.count <= maximumBytes else { throw OversizedServerSentEvent() }
            guard let end else { break }
            endedWithCR = rest[end] == 0x0D
            rest = rest[(end + 1)...]
            if let event = try endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() throws(OversizedServerSentEvent) -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: line.count < 64 << 10) }
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        if line.isEmpty { return dispatch() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            try field(line[...], value: [])
            return nil
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        // A line that begins with a colon is a comment.
        if colon > 0 { try field(line[..<colon], value: value) }
        return nil
    }

    private mutating func field(_ field: ArraySlice<UInt8>, value: ArraySlice<UInt8>) throws(OversizedServerSentEvent) {
        switch String(decoding: field, as: UTF8.self) {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < maximumBytes else { throw OversizedServerSentEvent() }
            if hasData { data.append(0x0A) }
            data.append(contentsOf: value)
            hasData = true
        case "id":
            if !value.contains(0) { idBuffer = String(decoding: value, as: UTF8.self) }
        case "retry":
            let isNumber = !value.isEmpty && value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            if isNumber, let milliseconds = Int64(String(decoding: value, as: UTF8.self)) {
                retry = .milliseconds(min(milliseconds, 86_400_000))
            }
        default: break
        }
    }

    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            name = ""
            data = []
            hasData = false
        }
        lastEventID = idBuffer
        guard hasData else { return nil }
        return ServerSentEvent(
            id: lastEventID, name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self))
    }
}
