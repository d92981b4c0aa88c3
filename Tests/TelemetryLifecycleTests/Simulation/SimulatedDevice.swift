import Foundation
import Synchronization
import TelemetryModels

/// What a device keeps whatever happens to the process.
@MainActor
package final class SimulatedDevice {
    /// What the person decided last.
    struct Consent {
        var isWanted = false
        /// Whether it holds whatever happens to the process: the call that says so has returned, or was an opt-out that nothing
        /// at the device itself held up.
        var isBinding = true
        /// Another process was still busy with the opposite decision: either may have come first.
        var isAmbiguous = false
        var serial = 0
        /// For how many steps nothing at the device has held it up.
        var unhinderedSteps = 0
        weak var process: SimulatedProcess?
    }

    package let number: Int
    var settings = TelemetrySettings.defaults
    var work = TelemetryPendingWork()
    /// The settings cannot be written for the moment, or not even be read.
    var isUnwritable = false
    var isUnreadable = false
    /// An opt-out is recorded beside the settings.
    var isOptOutMarked = false
    /// How many times one was.
    var markCount = 0
    /// The processes that use a client, as the others can see.
    var uses: [String: Set<ObjectIdentifier>] = [:]
    var scenarioStates: [String: Bool] = [:]
    /// Every identifier that this device's settings ever had.
    var identifiers: [String] = []
    let generator: SimulatedIdentifiers
    var consent = Consent()
    package var process: SimulatedProcess?
    /// Another process of the app over the same settings.
    var helper: SimulatedProcess?
    /// How many processes there were.
    var processCount = 0
    /// Sessions that the host has ended.
    var endedSessions: Set<String> = []
    /// By how much the device's clock is wrong.
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

    func store(_ settings: TelemetrySettings) {
        self.settings = settings
        guard let identifier = settings.clientIdentifier, !identifiers.contains(identifier) else { return }
        identifiers.append(identifier)
    }

    /// Those that run.
    var processes: [SimulatedProcess] { [process, helper].compactMap(\.self) }

    /// Whether what is stored keeps a client that it named before from sending, for a process that can read it.
    func hasRecordedOptOut(of clientId: String) -> Bool {
        // Who has opted in since is recorded by the settings alone, once they can be written.
        if isOptOutMarked { return !consent.isWanted }
        return !isUnreadable && identifiers.contains(clientId)
            && !(settings.telemetryRequested && settings.clientIdentifier == clientId)
    }

    /// The person's account.
    package var user: String { "device\(number)" }
}
