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
    package var version = Self.currentVersion

    /// The version of the format that changed the form last.
    private static let currentVersion = 4
    private static let all = [
        SegmentForm(version: 2), SegmentForm(layout: .inRuns, version: 2),
        SegmentForm(layout: .inRuns, hasChecksums: false, version: 2),
        SegmentForm(layout: .asWritten, hasChecksums: false, version: 1),
        SegmentForm(layout: .byLine, hasChecksums: false, version: 1), SegmentForm(), SegmentForm(layout: .inRuns),
    ].map { ($0, $0.firstLine) }
    /// The maximum length of a first line, in bytes.
    package static let maximumBytes = 64

    /// The first line, with its line feed.
    package var firstLine: [UInt8] { Array("\(line)\n".utf8) }

    private var line: String {
        let layout =
            switch layout {
            case .asWritten: ""
            case .inRuns: #","runs":true"#
            case .byLine: #","rewritten":true"#
            }
        return #"{"segment":\#(version)\#(hasChecksums ? #","checksums":true"# : "")\#(layout)}"#
    }

    package init(layout: Layout = .asWritten, hasChecksums: Bool = true, version: Int = SegmentForm.currentVersion) {
        self.layout = layout
        self.hasChecksums = hasChecksums
        self.version = version
    }

    /// The form after events were deleted.
    package var rewritten: SegmentForm { SegmentForm(layout: .inRuns, hasChecksums: hasChecksums, version: max(version, 2)) }

    /// Reads the form from the beginning of a segment. Up to two damaged bytes do not change the result.
    package init(ofSegment bytes: some RandomAccessCollection<UInt8>) {
        var nearest: (form: SegmentForm, length: Int, differing: Int)?
        for (form, line) in Self.all {
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
        // Only version 1 has lines by number, and no checksums then.
        let isByLine = line.contains("\"rewritten\":true") && !line.contains("\"runs\":true")
        let layout: Layout = line.contains("\"runs\":true") ? .inRuns : isByLine ? .byLine : .asWritten
        let hasChecksums = line.contains("\"checksums\":true") && !isByLine
        self.init(
            layout: layout, hasChecksums: hasChecksums, version: hasChecksums ? Self.currentVersion : layout == .inRuns ? 2 : 1)
    }
}
