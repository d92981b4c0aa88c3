import Foundation
import TelemetryModels
import TelemetrySystem

/// A session whose process ended without ending it.
struct EndedSession: Sendable {
    enum End: Equatable {
        case signal(Int32)
        /// By a signal that is not recorded, such as SIGKILL.
        case killed
        /// The system has been started anew since.
        case restart
        case unknown

        var name: String {
            switch self {
            case .signal: "signal"
            case .killed: "killed"
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

    static func end(of mark: SessionMark.Content, at now: BootTime) -> End {
        if let signal = fatalSignal(of: mark) { return .signal(signal.number) }
        if BootTime.isIdentified, mark.active.boot != now.boot { return .restart }
        return mark.recordsSignals && mark.end == nil ? .killed : .unknown
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

    /// The event that reports it.
    /// - Parameters:
    ///   - now: The time of the event, in seconds since 2001.
    ///   - backtrace: Returns the text of a report about the process with an identifier.
    func event(at now: Double, boot: BootTime, backtrace: () -> String?) -> CapturedEvent {
        let end = Self.end(of: mark, at: boot)
        var attributes: [String: TelemetryValue] = [
            "session": .string(mark.session), "end": .string(end.name), "appVersion": .string(mark.appVersion),
            "lastActive": .date(Date(timeIntervalSinceReferenceDate: lastActive)),
        ]
        var text = end.name
        if case .signal(let number) = end {
            text = FatalSignals.names[number] ?? "signal \(number)"
            attributes["signal"] = .string(text)
            attributes["backtrace"] = backtrace().map(TelemetryValue.string)
        }
        return CapturedEvent(
            name: TelemetryLogger.sessionEventName, scenario: nil, level: .info, property1: text, attributes: attributes,
            secondsSinceReference: now, thread: CurrentThread.number)
    }
}
