import Synchronization

/// Announces numbered changes to readers: those of this relay with their clients, and those of others to everybody, because the
/// notification of their relay may be lost.
final class ChangeAnnouncer: Sendable {
    private let hints = HintBroadcaster()
    /// The number after the last announced change.
    private let announced: Mutex<Int64>
    /// Notifies the other relays of a change of these clients; nil means all.
    private let notify: (@Sendable (Set<String>?) -> Void)?

    /// - Parameters:
    ///   - next: the number of the next change.
    ///   - notify: nil if relays find each other's changes only by their numbers.
    init(next: Int64, notify: (@Sendable (Set<String>?) -> Void)? = nil) {
        announced = Mutex(next)
        self.notify = notify
    }

    func hints(of clients: Set<String>?) -> AsyncStream<Void> { hints.stream(of: clients) }

    /// Announces changes of this relay. Skipped numbers are another relay's changes, of any client.
    /// - Parameter clients: the affected clients; nil means all.
    func announce(_ numbers: Range<Int64>, of clients: Set<String>?) {
        guard !numbers.isEmpty else { return }
        let isKnown = announced.withLock { announced in
            let isNext = announced >= numbers.lowerBound
            // A notification of the skipped ones may be lost.
            if isNext || notify == nil { announced = max(announced, numbers.upperBound) }
            return isNext || notify != nil
        }
        hints.hint(isKnown ? clients : nil)
        notify?(clients)
    }

    /// Announces changes by other relays that were not announced yet.
    /// - Parameter next: the number of the next change.
    func announce(before next: Int64) {
        let isNew = announced.withLock { announced in
            defer { announced = max(announced, next) }
            return next > announced
        }
        if isNew { hints.hint(nil) }
    }

    /// Announces changes of which another relay has notified this one.
    /// - Parameter clients: the affected clients; nil means all.
    func announceNotified(_ clients: Set<String>?) { hints.hint(clients) }

    /// Ends all current and future streams.
    func finish() { hints.finish() }
}
