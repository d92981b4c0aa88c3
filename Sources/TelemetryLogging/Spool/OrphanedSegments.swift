import TelemetryModels

/// What dead owners left in a spool.
struct OrphanedSegments {
    private var found: [(segment: CaptureSegment, ordinal: UInt64, begin: Double)] = []
    /// Events that could not be read any more.
    private(set) var damaged = 0
    /// Events of clients other than the current one.
    private(set) var ofOthers = 0
    private(set) var diagnostics: [TelemetryDiagnostic] = []

    /// Each session's segments in their order, those of the session with the oldest events first.
    var segments: [CaptureSegment] {
        Dictionary(grouping: found, by: \.segment.session.id).values.map {
            $0.sorted { ($0.ordinal, $0.segment.firstSequence) < ($1.ordinal, $1.segment.firstSequence) }
        }.sorted { $0[0].begin < $1[0].begin }.flatMap { $0.map(\.segment) }
    }

    mutating func add(_ segment: CaptureSegment, ordinal: UInt64, begin: Double) { found.append((segment, ordinal, begin)) }

    mutating func noteDamaged(_ count: Int, path: String) {
        guard count > 0 else { return }
        damaged += count
        report(.tornTail, "\(count) events at the end of \(path) were not finished; they are left out.")
    }

    mutating func noteOfOthers(_ count: Int, path: String) {
        guard count > 0 else { return }
        ofOthers += count
        report(.eventsDropped, "\(count) spooled events in \(path) belong to another client; they are discarded.")
    }

    mutating func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        diagnostics.append(TelemetryDiagnostic(kind: kind, message: message))
    }
}
