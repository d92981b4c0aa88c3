public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a host can show about telemetry to the user, as of the time at which
/// ``TelemetryLifecycleService/overview`` was read.
public struct TelemetryOverview: Sendable, Equatable {
    /// A scenario in an overview.
    public struct Scenario: Sendable, Hashable, Identifiable {
        /// The scenario's name.
        public let name: String
        /// Whether the scenario is on, at which level, until when, and who decided it.
        public let state: TelemetryScenarioState
        /// How long the scenario stays on, in seconds; nil if it is off or does not expire.
        public let timeLeft: TimeInterval?
        /// Whether the user forbids the scenario, which keeps it off.
        public let isForbidden: Bool
        /// Whether the flight recorder keeps the scenario's events on the device while it is off: the host's policy names it, the
        /// user does not forbid it, the client is approved, telemetry is not paused, and the logger has a flight recorder.
        public let isRecordedWhileOff: Bool

        public var id: String { name }
    }

    /// A rule's trigger in an overview: what makes this client act on a scenario by itself.
    public struct Trigger: Sendable, Hashable, Identifiable {
        /// The rule's identifier.
        public let ruleId: String
        /// The scenario that the trigger acts on.
        public let scenario: String
        /// Which events count, and what the client does.
        public let trigger: TelemetryTrigger
        /// How often the client acted since the rule became known to this process.
        public internal(set) var actions = 0
        /// When it acted last; nil if it has not.
        public internal(set) var lastAction: Date?

        public var id: String { ruleId }
    }

    /// A number of sent events and their size.
    public struct Sent: Sendable, Hashable {
        /// The number of events that the store accepted.
        public let events: UInt64
        /// The size of these events in the logger's own encoding, in bytes. A transport's requests may be larger or smaller.
        public let bytes: UInt64
    }

    /// An earlier session whose process ended without a shutdown, as an event `telemetry.session` reports it.
    public struct EndedSession: Sendable, Hashable, Identifiable {
        /// The session's identifier.
        public let id: String
        /// How the process ended: `signal`, `outOfMemory`, `killed`, `restart` or `unknown`.
        public let end: String
        /// The name of the signal that ended the process, such as `SIGSEGV`; nil if it was not recorded.
        public let signal: String?
        /// When the session was last known to be active.
        public let lastActive: Date
        /// The version of the app.
        public let appVersion: String
    }

    /// The status of telemetry.
    public let status: TelemetryLifecycleService.Status
    /// This client's identifier, which viewers use; nil if telemetry is not requested.
    public let clientIdentifier: String?
    /// Whether the host paused recording and sending. A viewer cannot end this pause.
    public let isPausedByHost: Bool
    /// Whether a viewer paused recording and sending. The host can end this pause, too.
    public let isPausedByViewer: Bool
    /// The scenarios, sorted by name: those of this session, those that the user forbids, and those that the host's policy names
    /// for the flight recorder.
    public let scenarios: [Scenario]
    /// The triggers that watch this client's events, sorted by the rules' identifiers.
    public let triggers: [Trigger]
    /// What viewers did with this client, newest first, at most 100: who approved it, turned its scenarios on or off, captured what the
    /// flight recorder kept, paused or resumed it, or deleted its events. Empty while telemetry is not requested.
    ///
    /// These are the executed commands that the store had when this process first ran commands, those that it has executed since, the
    /// approval in the client's record, the rules by which scenarios are on, and each rule's last capture in this process.
    public let viewerActions: [ViewerAction]
    /// The earlier sessions that ended without a shutdown and that this process has logged, oldest first. Empty after telemetry
    /// was turned off.
    public let endedSessions: [EndedSession]
    /// Whether the device keeps a mark of the current session, with which the next start reports an end without a shutdown: the client
    /// is approved, telemetry is not paused, and the logger is the library's and has a spool directory.
    public let isSessionMarked: Bool
    /// What this process has sent since midnight in the current calendar and time zone; nil if the logger is not the library's.
    ///
    /// Covers this process only: after a restart the count begins again, and other processes of the app count separately. Events
    /// are counted when the store accepts them, even if they were logged on an earlier day or by an earlier process.
    public let sentToday: Sent?

    /// Whether recording and sending are paused.
    public var isPaused: Bool { isPausedByHost || isPausedByViewer }
}
