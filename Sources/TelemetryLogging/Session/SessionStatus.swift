package import Foundation
import Synchronization

/// What a logger knows about sessions, for display.
package struct TelemetrySessionStatus: Sendable, Hashable {
    /// An earlier session whose process ended without ending it.
    package struct Ended: Sendable, Hashable {
        package let session: String
        /// As the event's attribute.
        package let end: String
        package let signal: String?
        package let lastActive: Date
        package let appVersion: String

        package init(session: String, end: String, signal: String?, lastActive: Date, appVersion: String) {
            self.session = session
            self.end = end
            self.signal = signal
            self.lastActive = lastActive
            self.appVersion = appVersion
        }
    }

    /// Whether the current session is marked on the device.
    package var isMarked = false
    /// The ended sessions that were logged, oldest first.
    package var reported: [Ended] = []

    package init() {}
}

/// The status of a logger's sessions. May be used on any thread.
final class SessionStatus: Sendable {
    private let status = Mutex(TelemetrySessionStatus())

    var current: TelemetrySessionStatus { status.withLock(\.self) }

    func change(_ change: (inout TelemetrySessionStatus) -> Void) { status.withLock { change(&$0) } }
}
