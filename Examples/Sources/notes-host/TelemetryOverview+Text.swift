import Foundation
import TelemetryLifecycle
import TelemetryModels

/// What the user can see about telemetry, as text.
extension TelemetryOverview {
    var text: String {
        var lines = ["telemetry: \(status)" + (clientIdentifier.map { ", client \($0)" } ?? "")]
        if isPaused { lines.append("paused by \(isPausedByHost ? "this program" : "a viewer")") }
        lines += scenarios.map(\.text)
        lines += triggers.map { "rule \($0.ruleId): watches for \($0.trigger.when), acted \($0.actions) times" }
        lines += viewerActions.map(\.text)
        if isSessionMarked { lines.append("if this program does not end in order, its next start reports it") }
        lines += endedSessions.map { "reported: session \($0.id) ended without a shutdown (\($0.signal ?? $0.end))" }
        if let sentToday { lines.append("sent today: \(sentToday.events) events, \(sentToday.bytes) bytes") }
        return lines.joined(separator: "\n")
    }
}

extension TelemetryOverview.Scenario {
    fileprivate var text: String {
        var facts: [String] = []
        if isForbidden {
            facts.append("forbidden")
        } else if state.isEnabled {
            facts.append("on, \(state.level == .info ? "info events" : "all events")")
            if let source = state.source.text { facts.append("requested by \(source)") }
            // A viewer may give any lease, also one that an integer cannot represent.
            if let timeLeft { facts.append("ends in \(Int64(exactly: timeLeft.rounded(.up)).map(String.init) ?? "very many") s") }
            if state.suspendedUntil != nil { facts.append("suspended because its budget is used up") }
        } else {
            facts.append("off")
        }
        if isRecordedWhileOff { facts.append("kept by the flight recorder") }
        return "\(name): \(facts.joined(separator: ", "))"
    }
}

extension TelemetryOverview.ViewerAction {
    fileprivate var text: String {
        let what = [action.rawValue, scenario, ruleId.map { "by the rule \($0)" }].compactMap(\.self).joined(separator: " ")
        return "\(date.formatted(.iso8601)): \(issuer ?? "a viewer"): \(what)"
    }
}

extension TelemetryScenarioState.Source {
    fileprivate var text: String? {
        switch self {
        case .registration: nil
        case .host: "this program"
        case .viewer: "a viewer"
        case .rule(let id): "the rule \(id)"
        }
    }
}
