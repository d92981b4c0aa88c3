package import TelemetryModels

/// The contents of a batch as its journal entry states them: its session, its time range, and counts.
package struct BatchSummary: Equatable, Sendable {
    /// The events of one scenario, level and hour. Times are nanoseconds since 1970.
    package struct Cell: Equatable, Sendable {
        package var scenario: String?
        package var level: TelemetryLogLevel
        package var count: UInt64
        package var first: UInt64
        package var last: UInt64
        package var lowestSequence: UInt64
        package var highestSequence: UInt64
        /// The number of drops that the events report.
        package var dropped: UInt64

        package var hour: Int64 { EventTime.hour(of: EventTime.date(first)) }

        mutating func merge(_ other: Cell) {
            count = count.addingClamped(other.count)
            first = min(first, other.first)
            last = max(last, other.last)
            lowestSequence = min(lowestSequence, other.lowestSequence)
            highestSequence = max(highestSequence, other.highestSequence)
            dropped = dropped.addingClamped(other.dropped)
        }
    }

    /// The most cells that an entry states; a batch with more has none.
    package static let maximumCells = 16
    /// The longest session identifier that a summary repeats, and all of its scenarios together, in bytes of UTF-8: a summary stays
    /// short beside the events' own size.
    package static let maximumSessionBytes = 1_024
    package static let maximumScenarioBytes = 4_096

    package var session: String
    package var first: UInt64
    package var last: UInt64
    /// Nil if there are too many.
    package var cells: [Cell]?
}
