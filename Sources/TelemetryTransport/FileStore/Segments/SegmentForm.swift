/// The form of a segment's lines, which its first line states.
enum SegmentForm: CaseIterable, Sendable {
    /// Unchanged: the lines of a journal entry are at the offset at which they were written.
    case asWritten
    /// After a deletion: the remaining lines are in runs, each after a line with its original offset.
    case inRuns

    private static let all = allCases.map { ($0, $0.firstLine) }
    /// The maximum length of a first line, in bytes.
    static let maximumBytes = 64

    /// The first line, with its line feed.
    var firstLine: [UInt8] {
        let runs =
            switch self {
            case .asWritten: ""
            case .inRuns: #","runs":true"#
            }
        return Array("{\"segment\":\(StoreFormat.version),\"checksums\":true\(runs)}\n".utf8)
    }

    /// Reads the form from the beginning of a segment. Up to two damaged bytes do not change the result. A line with more damage,
    /// or another one, is that of a segment in runs if it says so, otherwise that of an unchanged segment.
    init(ofSegment bytes: some RandomAccessCollection<UInt8>) {
        var nearest: (form: SegmentForm, length: Int, differing: Int)?
        for (form, line) in Self.all {
            let differing = zip(line, bytes).count { $0 != $1 } + max(0, line.count - bytes.count)
            // The lines begin alike: of two with as many differences, the longer one is chosen.
            if let nearest, (nearest.differing, -nearest.length) < (differing, -line.count) { continue }
            nearest = (form, line.count, differing)
        }
        if let nearest, nearest.differing <= 2 {
            self = nearest.form
            return
        }
        let line = String(decoding: bytes.prefix(Self.maximumBytes).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        self = line.contains("\"runs\":true") ? .inRuns : .asWritten
    }
}
