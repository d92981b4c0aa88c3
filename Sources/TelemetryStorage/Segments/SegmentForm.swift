/// The form of a segment's lines, declared in its first line.
package struct SegmentForm: Equatable {
    /// How the lines of a journal entry are located.
    package enum Layout {
        /// By the offset at which they were written.
        case asWritten
        /// By line number, after a deletion by version 1 of the format.
        case byLine
        /// By runs, each after a line with its original offset, after a deletion.
        case inRuns
    }

    package var layout = Layout.asWritten
    /// Whether a header line is valid only with its checksum.
    package var hasChecksums = true
    /// The version of the format whose lines the segment has. Lines with numbers for texts are read in any segment.
    package var version = StoreFormat.version

    private static let all: [(form: SegmentForm, line: String)] = [
        (SegmentForm(version: 2), #"{"segment":2,"checksums":true}"#),
        (SegmentForm(layout: .inRuns, version: 2), #"{"segment":2,"checksums":true,"runs":true}"#),
        (SegmentForm(layout: .inRuns, hasChecksums: false, version: 2), #"{"segment":2,"runs":true}"#),
        (SegmentForm(layout: .asWritten, hasChecksums: false, version: 1), #"{"segment":1}"#),
        (SegmentForm(layout: .byLine, hasChecksums: false, version: 1), #"{"segment":1,"rewritten":true}"#),
        (SegmentForm(), #"{"segment":4,"checksums":true}"#),
        (SegmentForm(layout: .inRuns), #"{"segment":4,"checksums":true,"runs":true}"#),
    ]
    /// The maximum length of a first line, in bytes.
    package static let maximumBytes = 64

    /// The first line, with its line feed.
    package var firstLine: [UInt8] { Array(((Self.all.first { $0.form == self }?.line ?? "") + "\n").utf8) }

    package init(layout: Layout = .asWritten, hasChecksums: Bool = true, version: Int = StoreFormat.version) {
        self.layout = layout
        self.hasChecksums = hasChecksums
        self.version = version
    }

    /// The form after events were deleted.
    var rewritten: SegmentForm { SegmentForm(layout: .inRuns, hasChecksums: hasChecksums, version: max(version, 2)) }

    /// Reads the form from the beginning of a segment. Up to two damaged bytes do not change the result.
    package init(ofSegment bytes: some RandomAccessCollection<UInt8>) {
        var nearest: (form: SegmentForm, length: Int, differing: Int)?
        for (form, line) in Self.all {
            let line = Array("\(line)\n".utf8)
            let differing = zip(line, bytes).count { $0 != $1 } + max(0, line.count - bytes.count)
            // Some lines begin alike: of two with as many differences, the longer one is chosen.
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
