import TelemetryModels
import TelemetrySystem

/// Computes the summary of a batch while its events are written.
struct BatchSummaryBuilder {
    /// The name of the event with which a logger reports drops; its attributes are counts by cause.
    private static let dropReport = "telemetry.dropped"
    private static let hour: UInt64 = 3_600_000_000_000

    private var session: String?
    /// The cell of the previous event, and its place in `cells`, whose element is older; nil before the first event.
    private var cell = BatchSummary.Cell(
        scenario: nil, level: .info, count: 0, first: 0, last: 0, lowestSequence: 0, highestSequence: 0, dropped: 0)
    private var place: Int?
    /// The start of its hour, in nanoseconds since 1970.
    private var hourStart: UInt64 = 0
    private var cells: [BatchSummary.Cell] = []
    /// Whether the batch has one session, and only times that a summary can state.
    private var isUsable = true

    /// Adds an event without copying it.
    mutating func add(_ event: UnsafePointer<TelemetryEvent>) {
        let time = TimestampParts(event.pointee.timestamp)
        event.withFields { add($0, ofSession: event.pointee.sessionId, at: time) }
    }

    @inline(__always)
    mutating func add(_ event: EventFields, ofSession sessionId: String, at time: TimestampParts?) {
        guard isUsable else { return }
        if let session {
            guard session.isIdentical(to: sessionId) else { return isUsable = false }
        } else {
            session = sessionId
        }
        guard let time = time?.nanosecondsSince1970 else { return isUsable = false }
        if place == nil || !isCell(event, at: time) { change(to: event, at: time) }
        cell.add(event.sequence, at: time)
        if event.scenario == nil { cell.addDrops(Self.drops(event.name, event.attributes)) }
    }

    /// The summary; nil if the batch has none.
    var summary: BatchSummary? {
        var cells = cells
        if let place { cells[place] = cell }
        guard isUsable, let session, session.utf8.count <= BatchSummary.maximumSessionBytes,
            let first = cells.map(\.first).min(), let last = cells.map(\.last).max()
        else { return nil }
        let scenarioBytes = cells.reduce(0) { $0 + ($1.scenario?.utf8.count ?? 0) }
        let isShort = cells.count <= BatchSummary.maximumCells && scenarioBytes <= BatchSummary.maximumScenarioBytes
        return BatchSummary(session: session, first: first, last: last, cells: isShort ? cells : nil)
    }

    @inline(__always)
    private func isCell(_ event: EventFields, at time: UInt64) -> Bool {
        cell.level == event.level && time >= hourStart && time - hourStart < Self.hour
            && EventContext.isSame(cell.scenario, event.scenario)
    }

    /// Continues with the event's cell, which may be new.
    private mutating func change(to event: EventFields, at time: UInt64) {
        if let place { cells[place] = cell }
        let start = time / Self.hour * Self.hour
        let known = cells.firstIndex {
            $0.level == event.level && $0.first / Self.hour * Self.hour == start
                && EventContext.isSame($0.scenario, event.scenario)
        }
        hourStart = start
        // One more than allowed shows that there are too many. The last one then only keeps the times.
        let place = known ?? min(cells.count, BatchSummary.maximumCells)
        if place == cells.count {
            cells.append(
                BatchSummary.Cell(
                    scenario: event.scenario.map { String(decoding: $0, as: UTF8.self) }, level: event.level, count: 0,
                    first: time, last: time, lowestSequence: event.sequence, highestSequence: event.sequence, dropped: 0))
        }
        self.place = place
        cell = cells[place]
    }

    /// The number of drops that an event reports.
    static func drops(_ event: UnsafePointer<TelemetryEvent>) -> UInt64 {
        guard event.pointee.scenario == nil else { return 0 }
        return event.pointee.name.withBytes { drops($0, .values(event.pointee.attributes)) }
    }

    private static func drops(_ name: EventFields.Text, _ attributes: EventAttributes) -> UInt64 {
        guard dropReport.withBytes({ $0.isIdentical(to: name) }) else { return 0 }
        return attributes.integers.reduce(0) { $0.addingClamped(UInt64(max(0, $1))) }
    }
}

extension BatchSummary.Cell {
    @inline(__always)
    fileprivate mutating func add(_ sequence: UInt64, at time: UInt64) {
        count += 1
        first = min(first, time)
        last = max(last, time)
        lowestSequence = min(lowestSequence, sequence)
        highestSequence = max(highestSequence, sequence)
    }

    fileprivate mutating func addDrops(_ drops: UInt64) { dropped = dropped.addingClamped(drops) }
}
