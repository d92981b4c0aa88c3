import TelemetryModels

/// What a completed journal file contains, so that a reader can skip the entries that do not matter to it.
///
/// Only a hint where to read: each entry is read from the journal, and each event from its segment.
package struct JournalIndex: Equatable, Sendable {
    /// A segment with entries in the file.
    package struct Segment: Equatable, Sendable {
        /// The client's directory, as an index of ``JournalIndex/clients``.
        package var client: Int
        package var name: String
        /// The offset of its first batch in the file, and the end of its last one.
        package var start: UInt64
        package var end: UInt64
        /// Whether the cells lack some of its events.
        package var isPartial = false
    }

    /// A session of a client.
    package struct Session: Equatable, Sendable {
        package var client: Int
        package var id: String
    }

    /// The events of one segment, session, scenario, level and hour.
    package struct Cell: Equatable, Sendable {
        package var segment: Int
        package var session: Int
        /// The offset of the first entry with such events.
        package var offset: UInt64
        package var counts: BatchSummary.Cell
    }

    /// An entry with a batch.
    package struct Entry: Equatable, Sendable {
        /// The offset of the entry's line.
        package var offset: UInt64
        /// The number of events in all earlier entries of the store.
        package var events: UInt64
        /// The batch's time range; every time if it is unknown.
        package var first: UInt64
        package var last: UInt64
        package var segment: UInt32
        /// An index of ``JournalIndex/sessions``; `unknown` without a summary.
        package var session: UInt32
        /// The bits of its scenarios; every bit if they are unknown.
        package var scenarios: UInt32
        /// The bits of its levels.
        package var levels: UInt32

        package static let unknown = UInt32.max
    }

    /// The numbers that decide whether the rest is needed.
    package struct Range: Equatable, Sendable {
        package var first = UInt64.max
        package var last: UInt64 = 0
        /// The size of the journal file.
        package var journalSize: UInt64 = 0
        /// The number of events in this file and all earlier ones.
        package var events: UInt64 = 0
    }

    package var range = Range()
    package var clients: [String] = []
    package var segments: [Segment] = []
    package var sessions: [Session] = []
    package var scenarios: [String] = []
    package var cells: [Cell] = []
    package var entries: [Entry] = []

    package init() {}

    /// The bit of a scenario, by its place in ``scenarios``; 0 for events without one.
    static func bit(ofScenario index: Int?) -> UInt32 { index.map { 2 << UInt32($0 % 31) } ?? 1 }

    static func bit(of level: TelemetryLogLevel) -> UInt32 { level == .info ? 1 : 2 }
}
