import Foundation
import Synchronization
import TelemetryModels
import TelemetryPersistence

/// The state of a device that survives its processes.
@MainActor
package final class SimulatedDevice {
    /// The user's last decision.
    struct Consent {
        var isWanted = false
        /// Whether it holds whatever happens to the process: its call has returned, or it was an opt-out that nothing on the
        /// device delayed.
        var isBinding = true
        /// Another process had the opposite decision in progress, which may have come first.
        var isAmbiguous = false
        var serial = 0
        /// The number of steps in which nothing on the device delayed it.
        var unhinderedSteps = 0
        weak var process: SimulatedProcess?
        /// The number of recorded opt-outs when the user changed their mind.
        var earlierMarks = 0
    }

    package let number: Int
    private(set) var document = SettingsDocument()
    var settings: TelemetrySettings { document.settings }
    var work = TelemetryPendingWork()
    /// Whether the settings temporarily cannot be written.
    var isUnwritable = false
    /// Whether the settings temporarily cannot be read.
    var isUnreadable = false
    /// Whether an opt-out is recorded next to the settings.
    var isOptOutMarked = false
    /// The number of recorded opt-outs.
    var markCount = 0
    /// The processes that use a client, as other processes read them.
    var uses: [String: Set<ObjectIdentifier>] = [:]
    var scenarioStates: [String: TelemetryScenarioState] = [:]
    /// The scenarios that the user forbids.
    var denied: Set<String> = []
    var pause: TelemetryPause = []
    /// What was decided on this device; nil in a world without such decisions.
    weak var controls: DeviceControls?
    /// Every identifier that this device's settings have had.
    var identifiers: [String] = []
    let generator: SimulatedIdentifiers
    var consent = Consent()
    package var process: SimulatedProcess?
    /// Another process of the app with the same settings.
    var helper: SimulatedProcess?
    /// The number of processes so far.
    var processCount = 0
    /// The sessions that the host has ended.
    var endedSessions: Set<String> = []
    /// The error of the device's clock.
    let skew = Skew()

    final class Skew: Sendable {
        private let value = Mutex(TimeInterval(0))
        var seconds: TimeInterval {
            get { value.withLock(\.self) }
            set { value.withLock { $0 = newValue } }
        }
    }

    init(number: Int) {
        self.number = number
        generator = SimulatedIdentifiers(device: number)
    }

    func store(_ document: SettingsDocument) {
        self.document = document
        if !settings.telemetryRequested { controls?.requestEnded() }
        guard let identifier = settings.clientIdentifier, !identifiers.contains(identifier) else { return }
        identifiers.append(identifier)
    }

    /// The running processes.
    var processes: [SimulatedProcess] { [process, helper].compactMap(\.self) }

    /// Whether the stored state keeps one of this device's clients from sending, for a process that can read it.
    func hasRecordedOptOut(of clientId: String) -> Bool {
        // A later opt-in is recorded only in the settings, once they can be written; until then an earlier mark stays.
        if isOptOutMarked { return !consent.isWanted && markCount > consent.earlierMarks }
        return !isUnreadable && identifiers.contains(clientId)
            && !(settings.telemetryRequested && settings.clientIdentifier == clientId)
    }

    /// The device's user account.
    package var user: String { "device\(number)" }
}
