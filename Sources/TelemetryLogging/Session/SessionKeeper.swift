import Foundation
import TelemetryModels
import TelemetrySystem

/// Marks the current session while the logger records it, and reports the sessions whose processes ended without ending them.
struct SessionKeeper {
    private let capture: EventCapture
    private let bootTime: @Sendable () -> BootTime
    private let recordsSignals: Bool
    private let diagnostics: TelemetryDiagnosticsHandler?
    private let memoryKills: @Sendable () -> OutOfMemoryKills?
    let status = SessionStatus()
    private var mark: SessionMark?
    private var ended: [EndedSession] = []
    /// Nil until a session was marked.
    private var crashDiagnostics: CrashDiagnostics?
    /// What was known of kills for lack of memory when the last of them was found.
    private var killsBeforeReport: OutOfMemoryKills?
    private var ordinal: UInt64 = 0

    /// - Parameter memoryKills: Returns how often the system has killed a process of the control group because memory ran out.
    init(
        configuration: TelemetryLogger.Configuration, capture: EventCapture, bootTime: @escaping @Sendable () -> BootTime,
        memoryKills: @escaping @Sendable () -> OutOfMemoryKills? = { .read() }
    ) {
        self.capture = capture
        self.bootTime = bootTime
        self.memoryKills = memoryKills
        recordsSignals = configuration.recordsSignals
        diagnostics = configuration.diagnostics
    }

    /// Marks the current session, if there is a spool.
    mutating func begin() {
        let (spool, session, clientId) = capture.withState { ($0.store.spool, $0.session, $0.clientId) }
        guard mark == nil, let spool, (clientId?.utf8.count ?? 0) <= SessionMark.textLimit else { return }
        ordinal += 1
        do throws(FileError) {
            let memory = try spool.allocate(
                bytes: SessionMark.bytes, ordinal: ordinal, suffix: Spool.markSuffix, isUnmapped: !recordsSignals)
            mark = SessionMark(
                SessionMark.Content(
                    session: session.id, clientId: clientId, appVersion: session.device.appVersion, process: .current,
                    recordsSignals: recordsSignals, memoryKills: memoryKills(), lastActive: capture.secondsSinceReference,
                    active: bootTime()),
                in: memory)
            status.change { $0.isMarked = true }
            if crashDiagnostics == nil { crashDiagnostics = CrashDiagnostics(capture: capture) }
        } catch {
            diagnostics?(
                TelemetryDiagnostic(kind: .storageFailed, message: "How this session ends will not be known: \(error)"))
        }
    }

    /// Records that events were logged until now.
    func touch() { mark?.touch(lastActive: capture.secondsSinceReference, active: bootTime()) }

    /// Removes the mark, because the session ends or is not recorded any more.
    mutating func end() {
        mark?.end()
        mark = nil
        status.change { $0.isMarked = false }
    }

    /// Removes all marks, those of ended sessions too.
    mutating func empty() {
        end()
        for session in ended { session.file.remove() }
        ended = []
        endDiagnostics()
        status.change { $0.reported = [] }
    }

    /// Removes the mark, and leaves those of ended sessions to the next start.
    mutating func leave() {
        end()
        for session in ended { session.file.abandon() }
        ended = []
        endDiagnostics()
    }

    private mutating func endDiagnostics() {
        crashDiagnostics?.end()
        crashDiagnostics = nil
    }

    /// Keeps ended sessions until they are reported. What is killed from now on does not count for them.
    mutating func add(_ sessions: [EndedSession]) {
        guard !sessions.isEmpty else { return }
        ended += sessions
        killsBeforeReport = memoryKills()
    }

    /// Logs an event for each ended session and what the system reported of their crashes, if events are recorded now.
    mutating func report() {
        guard !ended.isEmpty else {
            crashDiagnostics?.log()
            return
        }
        let now = capture.secondsSinceReference
        let reports = BacktraceReports()
        let limit = BacktraceReports.textLimit(in: capture)
        let contexts = contexts()
        let events = zip(ended, contexts).map { session, context in
            session.event(at: now, in: context) {
                reports.text(ofProcess: session.mark.process.number, since: session.mark.lastActive, limit: limit) {
                    capture.redactor?.redacted($0) ?? $0
                }
            }
        }
        guard capture.record(own: { events }) else { return }
        let summaries = zip(ended, contexts).map { $0.summary(in: $1) }
        status.change { $0.reported += summaries }
        crashDiagnostics?.add(ended)
        for session in ended { session.file.remove() }
        ended = []
    }

    /// What is known about each ended session. Where several are left, what was killed after the next one began is not counted.
    private func contexts() -> [EndedSession.Context] {
        let now = bootTime()
        return ended.indices.map { index in
            let next = index + 1 < ended.count ? ended[index + 1].mark.memoryKills : killsBeforeReport
            return EndedSession.Context(now: now, memoryKills: next)
        }
    }
}
