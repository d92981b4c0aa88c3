package import Foundation
package import TelemetryModels
package import TelemetryTransport

/// One reading of a page: which events to ask the server for, which of those that come to return, and where to read on.
///
/// Pure: the transport asks the server and gives it what came.
package struct CloudKitEventScan: Sendable {
    /// How far reading on looks back, in seconds, for events that the index shows late.
    package static let lookBack: Double = 30
    /// The most events that a cursor remembers; where more were returned in ``lookBack``, it looks back less far.
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
        // What another filter passed over is not looked for again.
        floor = isSameFilter ? cursor?.floor : cursor?.position
        seen = isSameFilter ? cursor?.seen ?? [:] : [:]
    }

    /// The earliest time of arrival to ask for; nil asks for everything.
    package var earliest: Date? {
        guard let start, start.received > Self.beginning else { return nil }
        return Date(timeIntervalSinceReferenceDate: max(start.received - Self.lookBack, floor?.received ?? -.infinity))
    }

    /// Takes what the server returned, in the order of the times of arrival.
    /// - Parameter event: Reads the event, where it is one that no earlier page returned; nil for what cannot be read as one.
    package mutating func take(at position: CloudKitEventPosition, _ event: () -> TelemetryEvent?) {
        lastReceived = max(lastReceived, position.received)
        if let floor, position <= floor { return }
        guard seen[position.name] == nil, let event = event(), filter.matches(event) else { return }
        found.append((position, event))
    }

    /// Whether the page is full, and complete up to a moment: what arrived together may come in any order.
    package mutating func isComplete() -> Bool {
        guard found.count > limit else { return false }
        found.sort { $0.position < $1.position }
        return lastReceived > found[limit - 1].position.received
    }

    /// - Parameters:
    ///   - isExhausted: Whether the server has nothing more for the query.
    ///   - newest: The newest event that the server knew, of any filter, before the query was made.
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
    /// Forgets the oldest; what is forgotten lies under the floor from then on, so that it is not returned again.
    mutating func forgetOldest(beyond limit: Int) {
        guard seen.count > limit else { return }
        let oldestFirst = seen.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        let forgotten = oldestFirst.prefix(seen.count - limit)
        for entry in forgotten { seen[entry.key] = nil }
        guard let last = forgotten.last else { return }
        // Whole moments: the order within one is not known here. One that lies before the position may hide latecomers only.
        let end = Swift.min(CloudKitEventPosition.end(of: last.value), position)
        floor = floor.map { Swift.max($0, end) } ?? end
    }
}
