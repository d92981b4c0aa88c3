import Foundation
import TelemetryModels
import TelemetrySystem

/// A session whose process ended without ending it.
struct EndedSession: Sendable {
    enum End: Equatable {
        case signal(Int32)
        /// By a signal that is not recorded, such as SIGKILL.
        case killed
        /// By the system, because memory ran out.
        case outOfMemory
        /// The system has been started anew since.
        case restart
        case unknown

        var name: String {
            switch self {
            case .signal: "signal"
            case .killed: "killed"
            case .outOfMemory: "outOfMemory"
            case .restart: "restart"
            case .unknown: "unknown"
            }
        }
    }

    /// How long a crash reporter may keep a process active after a signal, in seconds. After a longer activity, the process has survived
    /// the signal.
    private static let reportingTime = 60.0

    let mark: SessionMark.Content
    /// The file of the mark, which belongs to this process now.
    let file: SpoolFile
    /// When its last event was logged that was found, in seconds since 2001.
    var lastLogged = -Double.infinity

    /// What is known when ended sessions are reported.
    struct Context {
        let now: BootTime
        /// Until the next session began; nil if the system does not count them.
        let memoryKills: OutOfMemoryKills?
    }

    static func end(of mark: SessionMark.Content, in context: Context) -> End {
        if let signal = fatalSignal(of: mark) { return .signal(signal.number) }
        if BootTime.isIdentified, mark.active.boot != context.now.boot { return .restart }
        // An end by `exit` is not known without the handlers.
        guard mark.recordsSignals, mark.end == nil else { return .unknown }
        guard let kills = memoryKills(since: mark, in: context), kills > 0, mark.memoryKills?.endsProcess == true,
            context.memoryKills?.endsProcess == true
        else { return .killed }
        return .outOfMemory
    }

    /// The number of processes that the system killed in the control group because memory ran out; nil if it is unknown.
    private static func memoryKills(since mark: SessionMark.Content, in context: Context) -> UInt64? {
        guard mark.active.boot == context.now.boot, let before = mark.memoryKills else { return nil }
        return context.memoryKills?.kills(since: before)
    }

    private static func fatalSignal(of mark: SessionMark.Content) -> (number: Int32, uptime: Double)? {
        guard case .signal(let number, let uptime) = mark.end, Double(uptime) + reportingTime >= mark.active.seconds else {
            return nil
        }
        return (number, Double(uptime))
    }

    /// In seconds since 2001.
    var lastActive: Double {
        let sinceActive = Self.fatalSignal(of: mark).map { max(0, $0.uptime - mark.active.seconds) } ?? 0
        return max(mark.lastActive + sinceActive, lastLogged)
    }

    /// What a host can show to the user about it.
    func summary(in context: Context) -> TelemetrySessionStatus.Ended {
        let end = Self.end(of: mark, in: context)
        var signal: String?
        if case .signal(let number) = end { signal = Self.name(ofSignal: number) }
        return TelemetrySessionStatus.Ended(
            session: mark.session, end: end.name, signal: signal,
            lastActive: Date(timeIntervalSinceReferenceDate: lastActive), appVersion: mark.appVersion)
    }

    static func name(ofSignal number: Int32) -> String { FatalSignals.names[number] ?? "signal \(number)" }

    /// The event that reports it.
    /// - Parameters:
    ///   - now: The time of the event, in seconds since 2001.
    ///   - context: What is known then.
    ///   - backtrace: Returns the text of a report about the process with an identifier.
    func event(at now: Double, in context: Context, backtrace: () -> String?) -> CapturedEvent {
        let summary = summary(in: context)
        var attributes: [String: TelemetryValue] = [
            "session": .string(summary.session), "end": .string(summary.end), "appVersion": .string(summary.appVersion),
            "lastActive": .date(summary.lastActive),
        ]
        if let signal = summary.signal {
            attributes["signal"] = .string(signal)
            attributes["backtrace"] = backtrace().map(TelemetryValue.string)
        } else if let kills = Self.memoryKills(since: mark, in: context), kills > 0 {
            attributes["outOfMemoryKills"] = .int(Int64(clamping: kills))
        }
        return CapturedEvent(
            name: TelemetryLogger.sessionEventName, scenario: nil, level: .info, property1: summary.signal ?? summary.end,
            attributes: attributes,
            secondsSinceReference: now, thread: CurrentThread.number)
    }
}
