@_spi(Tooling) public import TelemetryModels
import TelemetrySystem

/// An event as a store has it, of which a query reads only the values that it needs. For the project's packages; not part of the
/// interface.
///
/// Valid only in the call of the reader that passes it.
@_spi(Tooling)
public struct StoredEvent {
    private enum Form {
        case line(StoredLine)
        /// A line in a form that has no outline is decoded.
        indirect case event(TelemetryEvent)
    }

    private let form: Form

    init(_ line: StoredLine) { form = .line(line) }
    init(_ event: TelemetryEvent) { form = .event(event) }

    /// The whole event.
    public var event: TelemetryEvent {
        switch form {
        case .line(let line): line.event
        case .event(let event): event
        }
    }
}

@_spi(Tooling)
extension StoredEvent: QuerySubject {
    public func value(of field: QueryField) -> TelemetryValue? {
        switch form {
        case .line(let line): line.value(of: field)
        case .event(let event): event.value(of: field)
        }
    }

    public func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        switch form {
        case .line(let line): line.hasText(where: isMatch)
        case .event(let event): event.hasText(where: isMatch)
        }
    }

    public var byteCount: Int {
        switch form {
        case .line(let line): line.bytes.count
        case .event(let event): event.byteCount
        }
    }
}

/// Reads the lines of events below their headers, one by one. For the project's packages; not part of the interface.
@_spi(Tooling)
public struct StoredEventReader {
    private var decoder = EventLineDecoder()
    private let searches: [LineSearch?]
    /// The searches below the current header.
    private var current: [LineSearch?]
    /// The current line; nil if it cannot be searched.
    private var searched: UnsafeBufferPointer<UInt8>?
    private var pairs = LetterPairs()
    /// Those of the searches.
    private var samples: [LetterPairs.Sample] = []

    /// The number of queries from which on the pairs of a line are worth their time.
    private static let manyQueries = 8

    /// - Parameter literals: What the events have that each of the queries looks for.
    public init(_ literals: [QueryLiterals]) {
        searches = literals.map(LineSearch.init)
        current = searches.map { _ in nil }
    }

    /// Reads the header of the lines that follow.
    /// - Parameter line: With or without its line feed.
    /// - Returns: Whether it can be read.
    public mutating func readHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard case .header = decoder.decode(line.withoutLineFeed) else { return false }
        guard searches.contains(where: { $0 != nil }) else { return true }
        let names = decoder.context.flatMap(HeaderNames.init)
        current = searches.map { search in names.flatMap { search?.below($0) } }
        samples = current.map { $0?.sample ?? LetterPairs.any }
        return true
    }

    /// Begins with a line below the last header, in which events are searched for. It must remain valid until the next one.
    public mutating func begin(_ line: UnsafeBufferPointer<UInt8>) {
        searched = current.contains { $0 != nil } && line.isPlain ? line : nil
        guard let searched, current.count >= Self.manyQueries else { return }
        pairs.removeAll()
        pairs.insert(searched)
    }

    /// Whether the event of the current line is not one that a query looks for.
    /// - Parameter query: The index of its literals.
    public func excludes(by query: Int) -> Bool {
        guard let searched else { return false }
        if current.count >= Self.manyQueries, !pairs.mayContain(samples[query]) { return true }
        return current[query]?.excludes(plain: searched) ?? false
    }

    /// The event of a line below the last header; nil if it cannot be read.
    /// - Parameter line: With or without its line feed. It must remain valid as long as the event is used.
    public mutating func event(_ line: UnsafeBufferPointer<UInt8>) -> StoredEvent? { decoder.stored(line.withoutLineFeed) }
}

extension EventLineDecoder {
    /// Decodes a line; nothing for an event that does not match.
    mutating func decode<Failure>(
        _ line: UnsafeBufferPointer<UInt8>, where isMatch: (StoredEvent) throws(Failure) -> Bool
    ) throws(Failure) -> EventLine {
        guard let context, let line = StoredLine(line, below: context) else {
            let decoded = decode(line)
            guard case .event(let event) = decoded else { return decoded }
            return try isMatch(StoredEvent(event)) ? decoded : .nothing
        }
        return try isMatch(StoredEvent(line)) ? .event(line.event) : .nothing
    }

    /// The event of a line; nil if the line has none or cannot be read.
    /// - Parameter line: It must remain valid as long as the event is used.
    fileprivate mutating func stored(_ line: UnsafeBufferPointer<UInt8>) -> StoredEvent? {
        if let context, let line = StoredLine(line, below: context) { return StoredEvent(line) }
        return if case .event(let event) = decode(line) { StoredEvent(event) } else { nil }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var withoutLineFeed: Self { last == UInt8(ascii: "\n") ? UnsafeBufferPointer(rebasing: dropLast()) : self }
}
