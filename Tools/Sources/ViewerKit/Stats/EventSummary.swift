public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// Counts of events, computed in one pass over them or from the store's own counts.
public struct EventSummary: Sendable {
    /// A number of events and the time range in which they happened.
    public struct Count: Sendable, Equatable {
        public internal(set) var events = 0
        public internal(set) var diagnostic = 0
        public internal(set) var first = Date.distantFuture
        public internal(set) var last = Date.distantPast

        /// Events per second between the first and the last; nil if all have the same date.
        public var rate: Double? {
            let seconds = last.timeIntervalSince(first)
            return events > 1 && seconds > 0 ? Double(events - 1) / seconds : nil
        }

        mutating func add(_ count: TelemetryEventCount) {
            events = events.addingClamped(count.count)
            if count.level == .diagnostic { diagnostic = diagnostic.addingClamped(count.count) }
            first = min(first, count.first)
            last = max(last, count.last)
        }
    }

    /// One session of a client.
    public struct Session: Sendable {
        public let id: String
        public let clientId: String?
        public let app: String
        public let device: String
        public internal(set) var count = Count()
        public internal(set) var dropped: Int64 = 0
        var lowest = UInt64.max
        var highest: UInt64 = 0

        /// The number of missing sequence numbers between the session's first event and its last.
        public var missing: Int {
            guard count.events > 0, highest >= lowest, highest - lowest >= UInt64(count.events) else { return 0 }
            return Int(clamping: highest - lowest - UInt64(count.events - 1))
        }
    }

    public private(set) var all = Count()
    /// By scenario; nil for events without a scenario.
    public private(set) var scenarios: [String?: Count] = [:]
    public private(set) var clients: [String?: Count] = [:]
    public private(set) var sessions: [String: Session] = [:]
    /// By the start of the hour, in seconds since 1970.
    public private(set) var hours: [Int: Int] = [:]

    public init() {}

    public mutating func add(_ event: TelemetryEvent) {
        add(
            TelemetryEventCount(
                clientId: event.clientId, sessionId: event.sessionId, scenario: event.scenario, level: event.level,
                hour: event.timestamp, count: 1, first: event.timestamp, last: event.timestamp, lowestSequence: event.sequence,
                highestSequence: event.sequence, reportedDrops: event.reportedDrops, device: event.device))
    }

    /// Adds events that were counted by the store.
    public mutating func add(_ count: TelemetryEventCount) {
        all.add(count)
        scenarios[count.scenario, default: Count()].add(count)
        clients[count.clientId, default: Count()].add(count)
        let hour = Self.hour(of: count.hour)
        hours[hour] = (hours[hour] ?? 0).addingClamped(count.count)
        var session =
            sessions[count.sessionId]
            ?? Session(
                id: count.sessionId, clientId: count.clientId, app: count.device.appVersion, device: count.device.deviceName)
        session.count.add(count)
        session.lowest = min(session.lowest, count.lowestSequence)
        session.highest = max(session.highest, count.highestSequence)
        session.dropped = session.dropped.addingClamped(count.reportedDrops)
        sessions[count.sessionId] = session
    }

    public var dropped: Int64 { sessions.values.reduce(0) { $0.addingClamped($1.dropped) } }
    public var missing: Int { sessions.values.reduce(0) { $0.addingClamped($1.missing) } }

    private static func hour(of date: Date) -> Int {
        let seconds = (date.timeIntervalSince1970 / 3_600).rounded(.down) * 3_600
        return abs(seconds) < 1e12 ? Int(seconds) : 0
    }
}

extension TelemetryEvent {
    /// The name of the event with which a logger reports drops. Its attributes are counts by cause.
    public static let dropReportName = "telemetry.dropped"

    /// The number of drops that this event reports; negative counts are ignored.
    public var reportedDrops: Int64 {
        guard name == Self.dropReportName, scenario == nil else { return 0 }
        return attributes.values.reduce(0) { $0.addingClamped(max(0, $1.intValue ?? 0)) }
    }
}
