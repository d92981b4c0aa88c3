import Synchronization

/// Announces numbered changes to readers, each once: those of this relay with their clients, those of others to everybody.
final class ChangeAnnouncer: Sendable {
    private let hints = HintBroadcaster()
    /// The number after the last announced change.
    private let announced: Mutex<Int64>

    /// - Parameter next: the number of the next change.
    init(next: Int64) { announced = Mutex(next) }

    func hints(of clients: Set<String>?) -> AsyncStream<Void> { hints.stream(of: clients) }

    /// Announces changes of this relay. Skipped numbers are another relay's changes, of any client.
    /// - Parameter clients: the affected clients; nil means all.
    func announce(_ numbers: Range<Int64>, of clients: Set<String>?) {
        guard !numbers.isEmpty else { return }
        let isNext = announced.withLock { announced in
            defer { announced = max(announced, numbers.upperBound) }
            return announced >= numbers.lowerBound
        }
        hints.hint(isNext ? clients : nil)
    }

    /// Announces changes by another relay that were not announced yet.
    /// - Parameter next: the number of the next change.
    func announce(before next: Int64) {
        let isNew = announced.withLock { announced in
            defer { announced = max(announced, next) }
            return next > announced
        }
        if isNew { hints.hint(nil) }
    }

    /// Yields a hint to the readers of these clients; nil means all.
    func hint(_ clients: Set<String>?) { hints.hint(clients) }

    /// Ends all current and future streams.
    func finish() { hints.finish() }
}
