#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decides when a client's presence is written to its record: at startup, and then at most once per interval.
struct PresenceSchedule: Sendable {
    /// The least time between two writes; nil to write at startup only.
    private let interval: Duration?
    /// The last write of this process.
    private var written: (clientId: String, date: Date)?

    init(interval: Duration?) { self.interval = interval }

    /// - Parameters:
    ///   - clientId: The client, which changes with an opt-in.
    ///   - stored: When the client was last seen according to its record, which another process of the app may have written.
    ///   - date: The current date.
    func isDue(for clientId: String, stored: Date?, at date: Date) -> Bool {
        guard let written, written.clientId == clientId else { return true }
        guard let interval else { return false }
        let seconds = interval / .seconds(1)
        // If the clock was set back, the elapsed time is unknown.
        let isRecent = { (last: Date) in last <= date && date.timeIntervalSince(last) < seconds }
        return !isRecent(written.date) && !(stored.map(isRecent) ?? false)
    }

    /// Notes that the presence was written, or that the store never accepts it.
    mutating func noteWrite(for clientId: String, at date: Date) { written = (clientId, date) }
}
