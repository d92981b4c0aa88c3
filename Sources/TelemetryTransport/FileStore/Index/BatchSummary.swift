import TelemetryModels
import TelemetrySystem

/// The contents of a batch as its journal entry states them: its session, its time range, and counts.
struct BatchSummary: Equatable, Sendable {
    /// The events of one scenario, level and hour. Times are nanoseconds since 1970.
    struct Cell: Equatable, Sendable {
        var scenario: String?
        var level: TelemetryLogLevel
        var count: UInt64
        var first: UInt64
        var last: UInt64
        var lowestSequence: UInt64
        var highestSequence: UInt64
        /// The number of drops that the events report.
        var dropped: UInt64

        var hour: Int64 { EventTime.hour(of: EventTime.date(first)) }

        mutating func merge(_ other: Cell) {
            count = count.addingClamped(other.count)
            first = min(first, other.first)
            last = max(last, other.last)
            lowestSequence = min(lowestSequence, other.lowestSequence)
            highestSequence = max(highestSequence, other.highestSequence)
            dropped = dropped.addingClamped(other.dropped)
        }
    }

    /// The maximum number of cells that an entry states; a batch with more has none.
    static let maximumCells = 16
    /// The longest session identifier that a summary repeats, and all of its scenarios together, in bytes of UTF-8: a summary stays
    /// short beside the events' own size.
    static let maximumSessionBytes = 1_024
    static let maximumScenarioBytes = 4_096

    var session: String
    var first: UInt64
    var last: UInt64
    /// Nil if there are too many.
    var cells: [Cell]?
}
