/// What a segment's first line says of the lines below it.
package struct SegmentForm: Equatable {
    /// How the lines that a journal entry tells of are found.
    package enum Layout {
        /// Where they were written.
        case asWritten
        /// By their number: something was deleted, by version 1 of the format.
        case byLine
        /// By runs, each below a line that says where it stood: something was deleted.
        case inRuns
    }

    package var layout = Layout.asWritten
    /// Whether a header line counts only with its checksum.
    package var hasChecksums = true

    private static let all: [(form: SegmentForm, line: String)] = [
        (SegmentForm(), #"{"segment":2,"checksums":true}"#),
        (SegmentForm(layout: .inRuns), #"{"segment":2,"checksums":true,"runs":true}"#),
        (SegmentForm(layout: .inRuns, hasChecksums: false), #"{"segment":2,"runs":true}"#),
        (SegmentForm(layout: .asWritten, hasChecksums: false), #"{"segment":1}"#),
        (SegmentForm(layout: .byLine, hasChecksums: false), #"{"segment":1,"rewritten":true}"#),
    ]
    /// No first line is longer.
    package static let maximumBytes = 64

    /// The first line, with its line feed.
    package var firstLine: [UInt8] { Array(((Self.all.first { $0.form == self }?.line ?? "") + "\n").utf8) }

    package init(layout: Layout = .asWritten, hasChecksums: Bool = true) {
        self.layout = layout
        self.hasChecksums = hasChecksums
    }

    /// Reads the form off a segment's beginning: the one that is nearest, so that a damaged byte does not change what is meant.
    package init(ofSegment bytes: some RandomAccessCollection<UInt8>) {
        var nearest: (form: SegmentForm, length: Int, differing: Int)?
        for (form, line) in Self.all {
            let line = Array("\(line)\n".utf8)
            let differing = zip(line, bytes).count { $0 != $1 } + max(0, line.count - bytes.count)
            // Some begin like others: as near, the longer one is meant.
            if let nearest, (nearest.differing, -nearest.length) < (differing, -line.count) { continue }
            nearest = (form, line.count, differing)
        }
        if let nearest, nearest.differing <= 2 {
            self = nearest.form
            return
        }
        let line = String(decoding: bytes.prefix(Self.maximumBytes).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        let isOld = line.contains("\"rewritten\":true")
        self.init(
            layout: line.contains("\"runs\":true") ? .inRuns : isOld ? .byLine : .asWritten,
            hasChecksums: line.contains("\"checksums\":true"))
    }
}
