package import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Computes the summary of a batch while its events are written.
package struct BatchSummaryBuilder {
    /// The name of the event with which a logger reports drops; its attributes are counts by cause.
    private static let dropReport = "telemetry.dropped"

    private var session: String?
    private var first = UInt64.max
    private var last: UInt64 = 0
    private var cells: [BatchSummary.Cell] = []
    /// The cell of the previous event, and the start of its hour, in seconds since 1970.
    private var current = 0
    private var hours: [Double] = []
    /// Whether the batch has one session, and only times that a summary can state.
    private var isUsable = true

    package init() {}

    /// Adds an event without copying it.
    package mutating func add(_ event: UnsafePointer<TelemetryEvent>) {
        guard isUsable else { return }
        if let session {
            guard session.isIdentical(to: event.pointee.sessionId) else { return isUsable = false }
        } else {
            session = event.pointee.sessionId
        }
        guard let time = EventTime.nanoseconds(of: event.pointee.timestamp) else { return isUsable = false }
        first = min(first, time)
        last = max(last, time)
        let seconds = event.pointee.timestamp.timeIntervalSince1970
        if !isCurrent(event, seconds) {
            guard let found = cells.indices.first(where: { isCell($0, of: event, seconds) }) else {
                return addCell(event, time, seconds)
            }
            current = found
        }
        let sequence = event.pointee.sequence
        cells[current].count += 1
        cells[current].first = min(cells[current].first, time)
        cells[current].last = max(cells[current].last, time)
        cells[current].lowestSequence = min(cells[current].lowestSequence, sequence)
        cells[current].highestSequence = max(cells[current].highestSequence, sequence)
        if event.pointee.scenario == nil { cells[current].dropped.addClamped(Self.drops(event)) }
    }

    /// The summary; nil if the batch has none.
    package var summary: BatchSummary? {
        guard isUsable, let session, session.utf8.count <= BatchSummary.maximumSessionBytes else { return nil }
        let scenarioBytes = cells.reduce(0) { $0 + ($1.scenario?.utf8.count ?? 0) }
        let isShort = cells.count <= BatchSummary.maximumCells && scenarioBytes <= BatchSummary.maximumScenarioBytes
        return BatchSummary(session: session, first: first, last: last, cells: isShort ? cells : nil)
    }

    private func isCurrent(_ event: UnsafePointer<TelemetryEvent>, _ seconds: Double) -> Bool {
        current < cells.count && isCell(current, of: event, seconds)
    }

    private func isCell(_ index: Int, of event: UnsafePointer<TelemetryEvent>, _ seconds: Double) -> Bool {
        cells[index].level == event.pointee.level && seconds >= hours[index] && seconds < hours[index] + 3_600
            && EventContext.isSame(cells[index].scenario, event.pointee.scenario)
    }

    private mutating func addCell(_ event: UnsafePointer<TelemetryEvent>, _ time: UInt64, _ seconds: Double) {
        // One more than allowed, which shows that there are too many.
        guard cells.count <= BatchSummary.maximumCells else { return }
        current = cells.count
        hours.append((seconds / 3_600).rounded(.down) * 3_600)
        let sequence = event.pointee.sequence
        cells.append(
            BatchSummary.Cell(
                scenario: event.pointee.scenario, level: event.pointee.level, count: 1, first: time, last: time,
                lowestSequence: sequence, highestSequence: sequence,
                dropped: event.pointee.scenario == nil ? Self.drops(event) : 0))
    }

    /// The number of drops that an event reports.
    package static func drops(_ event: UnsafePointer<TelemetryEvent>) -> UInt64 {
        guard event.pointee.scenario == nil, event.pointee.name == dropReport else { return 0 }
        return event.pointee.attributes.values.reduce(0) { $0.addingClamped(UInt64(max(0, $1.intValue ?? 0))) }
    }
}

extension UInt64 {
    fileprivate mutating func addClamped(_ other: UInt64) { self = addingClamped(other) }
}
