import Foundation
import Synchronization
import TelemetryModels

/// What a device keeps whatever happens to the process.
@MainActor
package final class SimulatedDevice {
    package let number: Int
    var settings = TelemetrySettings.defaults
    var scenarioStates: [String: Bool] = [:]
    /// Every identifier that this device ever had.
    var identifiers: [String] = []
    /// What the person decided last, and whether the call that says so has returned.
    var consent: (isWanted: Bool, hasReturned: Bool, serial: Int) = (false, true, 0)
    package var process: SimulatedProcess?
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

    init(number: Int) { self.number = number }

    /// The person's account.
    package var user: String { "device\(number)" }
}
