import TelemetryModels

/// The segments and marks that dead owners left in a spool.
struct OrphanedSegments {
    private var found: [(segment: CaptureSegment, ordinal: UInt64, begin: Double)] = []
    /// The number of events that could not be read.
    private(set) var damaged = 0
    /// The number of events of other clients.
    private(set) var ofOtherClients = 0
    private(set) var diagnostics: [TelemetryDiagnostic] = []
    private var marked: [EndedSession] = []
    /// When the last event of a session was logged, in seconds since 2001.
    private var lastLogged: [String: Double] = [:]

    /// The segments, in order within each session. The session with the oldest events is first.
    var segments: [CaptureSegment] {
        let sessions = Dictionary(grouping: found, by: \.segment.session.id).values.map { session in
            session.sorted { ($0.ordinal, $0.segment.firstSequence) < ($1.ordinal, $1.segment.firstSequence) }
        }
        return sessions.sorted { $0[0].begin < $1[0].begin }.flatMap { $0.map(\.segment) }
    }

    /// The sessions whose processes ended without ending them, in the order of their ends.
    var endedSessions: [EndedSession] {
        marked.map { session in
            var session = session
            session.lastLogged = lastLogged[session.mark.session] ?? -.infinity
            return session
        }.sorted { $0.lastActive < $1.lastActive }
    }

    mutating func add(_ session: EndedSession) { marked.append(session) }

    mutating func noteLogged(_ seconds: Double, session: String) {
        lastLogged[session] = max(seconds, lastLogged[session] ?? seconds)
    }

    mutating func add(_ segment: CaptureSegment, ordinal: UInt64, begin: Double) { found.append((segment, ordinal, begin)) }

    mutating func noteDamaged(_ count: Int, path: String) {
        guard count > 0 else { return }
        damaged += count
        report(.tornTail, "\(count) events at the end of \(path) are incomplete or damaged; they are skipped.")
    }

    mutating func noteOfOtherClients(_ count: Int, path: String) {
        guard count > 0 else { return }
        ofOtherClients += count
        report(.eventsDropped, "\(count) spooled events in \(path) belong to another client; they are discarded.")
    }

    mutating func report(_ kind: TelemetryDiagnostic.Kind, _ message: String) {
        diagnostics.append(TelemetryDiagnostic(kind: kind, message: message))
    }
}
