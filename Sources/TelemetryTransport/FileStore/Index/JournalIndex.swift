import TelemetryModels

/// What a completed journal file contains, so that a reader can skip the entries that do not matter to it.
///
/// Only a hint where to read: each entry is read from the journal, and each event from its segment.
struct JournalIndex: Equatable, Sendable {
    /// A segment with entries in the file.
    struct Segment: Equatable, Sendable {
        /// The client's directory, as an index of ``JournalIndex/clients``.
        var client: Int
        var name: String
        /// The offset of its first batch in the file, and the end of its last one.
        var start: UInt64
        var end: UInt64
        /// Whether the cells lack some of its events.
        var isPartial = false
    }

    /// A session of a client.
    struct Session: Equatable, Sendable {
        var client: Int
        var id: String
    }

    /// The events of one segment, session, scenario, level and hour.
    struct Cell: Equatable, Sendable {
        var segment: Int
        var session: Int
        /// The offset of the first entry with such events.
        var offset: UInt64
        var counts: BatchSummary.Cell
    }

    /// An entry with a batch.
    struct Entry: Equatable, Sendable {
        /// The offset of the entry's line.
        var offset: UInt64
        /// The number of events in all earlier entries of the store.
        var events: UInt64
        /// The batch's time range; every time if it is unknown.
        var first: UInt64
        var last: UInt64
        var segment: UInt32
        /// An index of ``JournalIndex/sessions``; `unknown` without a summary.
        var session: UInt32
        /// The bits of its scenarios; every bit if they are unknown.
        var scenarios: UInt32
        /// The bits of its levels.
        var levels: UInt32

        static let unknown = UInt32.max
    }

    /// The numbers that decide whether the rest is needed.
    struct Range: Equatable, Sendable {
        var first = UInt64.max
        var last: UInt64 = 0
        /// The size of the journal file.
        var journalSize: UInt64 = 0
        /// The number of events in this file and all earlier ones.
        var events: UInt64 = 0
    }

    var range = Range()
    var clients: [String] = []
    var segments: [Segment] = []
    var sessions: [Session] = []
    var scenarios: [String] = []
    var cells: [Cell] = []
    var entries: [Entry] = []

    /// The bit of a scenario, by its place in ``scenarios``; 0 for events without one.
    static func bit(ofScenario index: Int?) -> UInt32 { index.map { 2 << UInt32($0 % 31) } ?? 1 }

    static func bit(of level: TelemetryLogLevel) -> UInt32 { level == .info ? 1 : 2 }
}
