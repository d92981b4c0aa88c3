import TelemetryLogging
import TelemetryModels
import TelemetryPersistence

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TelemetryLifecycleService {
    /// What a host can show about telemetry to the user, now: a plain value, for any user interface.
    ///
    /// Observation reports changes of everything but time, sessions and ``TelemetryOverview/sentToday``. Valid once an operation has begun.
    public var overview: TelemetryOverview {
        let policy = parts.context.configuration.policy
        let date = parts.context.date
        let logger = parts.consent.gate.logger
        let (states, denied) = (scenarios, deniedScenarios)
        let isRecording = settings.telemetrySendingEnabled && !state.isPaused && logger.hasRecorder
        let delivered = logger.deliveredToday
        let sessions = logger.sessionStatus
        return TelemetryOverview(
            status: status, clientIdentifier: settings.clientIdentifier, isPausedByHost: state.pause.contains(.byHost),
            isPausedByViewer: state.pause.contains(.byViewer),
            scenarios: Set(states.keys).union(denied).union(policy.recordedScenarios).sorted().map { name in
                let state = states[name] ?? TelemetryScenarioState()
                let expires = state.isEnabled ? state.expires : nil
                return TelemetryOverview.Scenario(
                    name: name, state: state, timeLeft: expires.map { max($0.timeIntervalSince(date), 0) },
                    isForbidden: denied.contains(name),
                    isRecordedWhileOff: isRecording && policy.recordedScenarios.contains(name) && !denied.contains(name))
            },
            triggers: state.triggers, viewerActions: viewerActions,
            endedSessions: sessions.reported.map {
                TelemetryOverview.EndedSession(
                    id: $0.session, end: $0.end, signal: $0.signal, lastActive: $0.lastActive, appVersion: $0.appVersion)
            },
            isSessionMarked: sessions.isMarked,
            sentToday: delivered.map { TelemetryOverview.Sent(events: $0.events, bytes: $0.bytes) })
    }

    private var viewerActions: [TelemetryOverview.ViewerAction] {
        guard let clientId = settings.clientIdentifier else { return [] }
        let client = state.clientRecord.flatMap { $0.clientId == clientId ? $0 : nil }
        let approval = client.flatMap(TelemetryOverview.ViewerAction.init(approvalIn:))
        return (state.executedActions + state.ruleActions + (approval.map { [$0] } ?? [])).newest
    }
}
