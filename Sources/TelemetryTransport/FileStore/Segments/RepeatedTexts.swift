import TelemetryModels
import TelemetrySystem

/// Finds out which strings the next header of a segment should list.
///
/// A text is listed once it has been repeated. The next header is due when the repetitions since the last one took more bytes than
/// a header does.
struct RepeatedTexts {
    /// The strings of one key.
    private struct Candidates {
        private struct Candidate {
            /// Depends on all bytes, so that it stands for the text; zero for none.
            var hash: UInt64
            /// Nil until the text is repeated.
            var text: String?
        }

        private var places: [Candidate] = []
        /// Which strings of the header's table were used since the header, as bits.
        var used: UInt64 = 0

        /// The bytes of the text if it is repeated, or zero.
        mutating func note(_ text: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int {
            if text.count > RepeatedTexts.maximumBytes { return 0 }
            if places.isEmpty { places = [Candidate](repeating: Candidate(hash: 0), count: TextHash.placeCount) }
            let place = TextHash.place(hash)
            if places[place].hash != hash {
                // A text that was repeated keeps its place.
                if places[place].text == nil { places[place].hash = hash }
                return 0
            }
            if places[place].text == nil { places[place].text = String(decoding: text, as: UTF8.self) }
            return text.count
        }

        /// The strings of the table, the one that lines below the header left out, and those that were repeated.
        func next(after table: TextTable, leftOut: String?, keepingUnused: Bool) -> TextTable {
            var texts = table.texts.indices.filter { keepingUnused || used >> UInt64($0) & 1 == 1 }.map { table.texts[$0] }
            for text in [leftOut].compactMap(\.self) + places.compactMap(\.text)
            where text.utf8.count <= RepeatedTexts.maximumBytes && !texts.contains(where: { $0.isIdentical(to: text) }) {
                texts.append(text)
            }
            return TextTable(Array(texts.prefix(TextTable.maximumCount)))
        }
    }

    /// The longest text that is listed, in bytes.
    private static let maximumBytes = 128

    private var names = Candidates()
    private var threads = Candidates()
    private var scenarios = Candidates()
    /// How many bytes the repetitions took since the last header, and how many a header takes.
    private var repeatedBytes = 0
    private(set) var headerBytes = 0
    private var levelCounts = (info: 0, diagnostic: 0)

    @inline(__always)
    var isHeaderDue: Bool { repeatedBytes > headerBytes }

    /// The tables of the next header for the same session. If it is due only because of its distance, strings that were not used since
    /// the last one are left out.
    func next(after context: EventContext) -> HeaderTables {
        var next = HeaderTables()
        let isKept = isHeaderDue
        next.names = names.next(after: context.tables.names, leftOut: nil, keepingUnused: isKept)
        next.threads = threads.next(after: context.tables.threads, leftOut: context.threadId, keepingUnused: isKept)
        next.scenarios = scenarios.next(after: context.tables.scenarios, leftOut: context.scenario, keepingUnused: isKept)
        return next
    }

    @inline(__always)
    mutating func note(_ level: TelemetryLogLevel) {
        if level == .info { levelCounts.info += 1 } else { levelCounts.diagnostic += 1 }
    }

    /// The level of most events since the last header.
    var commonLevel: TelemetryLogLevel { levelCounts.info >= levelCounts.diagnostic ? .info : .diagnostic }

    /// Begins anew below a header of this size.
    mutating func beginHeader(byteCount: Int) {
        self = RepeatedTexts()
        headerBytes = byteCount
    }
}

extension RepeatedTexts {
    /// The number of the event's name in the header's table. If it has none, the name is written as a text.
    @inline(__always)
    mutating func number(ofName name: EventFields.Text, in table: TextTable) -> Int? {
        Self.number(of: name, in: table, &names, &repeatedBytes)
    }

    @inline(__always)
    mutating func number(ofThread thread: EventFields.Text, in table: TextTable) -> Int? {
        Self.number(of: thread, in: table, &threads, &repeatedBytes)
    }

    @inline(__always)
    mutating func number(ofScenario scenario: EventFields.Text, in table: TextTable) -> Int? {
        Self.number(of: scenario, in: table, &scenarios, &repeatedBytes)
    }

    @inline(__always)
    private static func number(
        of text: EventFields.Text, in table: TextTable, _ candidates: inout Candidates, _ repeatedBytes: inout Int
    ) -> Int? {
        let hash = TextHash.hash(text)
        if let number = table.number(of: text, hash: hash) {
            candidates.used |= 1 &<< UInt64(number)
            return number
        }
        if table.texts.count < TextTable.maximumCount { repeatedBytes += candidates.note(text, hash: hash) }
        return nil
    }
}
