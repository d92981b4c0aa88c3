package import Foundation
package import TelemetryModels
package import TelemetryTransport

/// The reading of one page: which events to request, which of the received ones to return, and the next cursor.
///
/// A pure value: the transport requests the records and passes them in.
package struct CloudKitEventScan: Sendable {
    /// How far before the cursor reading starts, in seconds, to find events that the index showed late.
    package static let lookBack: Double = 30
    /// The maximum number of seen events in a cursor. If more were returned within ``lookBack``, reading starts later.
    package static let maximumSeen = 500

    /// Before anything was received.
    private static let beginning = Date.distantPast.timeIntervalSinceReferenceDate

    private let filter: TelemetryEventFilter
    private let limit: Int
    private let filterHash: UInt64
    private let start: CloudKitEventPosition?
    private let floor: CloudKitEventPosition?
    private let seen: [UInt64: Double]
    private var found: [(position: CloudKitEventPosition, event: TelemetryEvent)] = []
    private var lastReceived = -Double.infinity

    /// - Throws: `.invalidArgument` for a cursor that is not this transport's.
    package init(filter: TelemetryEventFilter, cursor: TelemetryCursor?, limit: Int) throws {
        let cursor = try cursor.map(CloudKitEventCursor.init)
        self.filter = filter
        self.limit = limit
        filterHash = filter.stableHash
        start = cursor?.position
        let isSameFilter = cursor?.filter == filterHash
        // Events that another filter skipped are not read again.
        floor = isSameFilter ? cursor?.floor : cursor?.position
        seen = isSameFilter ? cursor?.seen ?? [:] : [:]
    }

    /// The earliest arrival date to request; nil for all events.
    package var earliest: Date? {
        guard let start, start.received > Self.beginning else { return nil }
        return Date(timeIntervalSinceReferenceDate: max(start.received - Self.lookBack, floor?.received ?? -.infinity))
    }

    /// Adds a record that the server returned. Call it in the order of arrival.
    /// - Parameter event: Reads the event; called only if no earlier page returned it. Returns nil if the record cannot be read
    ///   as an event.
    package mutating func add(at position: CloudKitEventPosition, _ event: () -> TelemetryEvent?) {
        lastReceived = max(lastReceived, position.received)
        if let floor, position <= floor { return }
        guard seen[position.name] == nil, let event = event(), filter.matches(event) else { return }
        found.append((position, event))
    }

    /// Whether the page is full, and all events with the arrival date of its last event were read, because those may come in any
    /// order.
    package mutating func isComplete() -> Bool {
        guard found.count > limit else { return false }
        found.sort { $0.position < $1.position }
        return lastReceived > found[limit - 1].position.received
    }

    /// Adds the events that a scan of another query of the same page has found. Each scan that is not exhausted must be complete:
    /// the first events of all are then the page's, because each query has as many before what it has not returned yet.
    package mutating func merge(_ other: Self) {
        lastReceived = max(lastReceived, other.lastReceived)
        var known = Set(found.map(\.position))
        found += other.found.filter { known.insert($0.position).inserted }
    }

    /// - Parameters:
    ///   - isExhausted: Whether the server has nothing more for any query.
    ///   - newest: The arrival date of the newest event of any filter, read before the query.
    package func page(isExhausted: Bool, newest: Double?) -> TelemetryEventPage {
        let sorted = found.sorted { $0.position < $1.position }
        let returned = sorted.prefix(limit)
        let hasMore = !isExhausted || sorted.count > limit
        var position = max(start, returned.last?.position)
        if !hasMore, let newest { position = max(position, .end(of: newest)) }
        let end = position ?? .end(of: Self.beginning)
        var remembered = seen
        for entry in returned { remembered[entry.position.name] = entry.position.received }
        var cursor = CloudKitEventCursor(
            position: end, floor: floor, filter: filterHash,
            seen: remembered.filter { $0.value >= end.received - Self.lookBack })
        cursor.forgetOldest(beyond: Self.maximumSeen)
        let ordered = CloudKitAppendIndex.inAppendOrder(Array(returned)) { $0.position.index }
        return TelemetryEventPage(events: ordered.map(\.event), cursor: cursor.cursor, hasMore: hasMore)
    }

    private func max(_ first: CloudKitEventPosition?, _ second: CloudKitEventPosition?) -> CloudKitEventPosition? {
        guard let first, let second else { return first ?? second }
        return Swift.max(first, second)
    }

    private func max(_ first: Double, _ second: Double) -> Double { Swift.max(first, second) }
}

extension CloudKitEventCursor {
    /// Removes the oldest seen events, and raises the floor above them so that they are not returned again.
    mutating func forgetOldest(beyond limit: Int) {
        guard seen.count > limit else { return }
        let oldestFirst = seen.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let forgotten = oldestFirst.prefix(seen.count - limit)
        for entry in forgotten { seen[entry.key] = nil }
        guard let last = forgotten.last else { return }
        // Up to the end of a date, because the order within it is unknown. Before the position, this can hide only late events.
        let end = Swift.min(CloudKitEventPosition.end(of: last.value), position)
        floor = floor.map { Swift.max($0, end) } ?? end
    }
}
