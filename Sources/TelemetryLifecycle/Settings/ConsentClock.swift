import Synchronization

/// Counts the opt-outs of this process, also where the settings store cannot.
final class ConsentClock: Sendable {
    private let count = Mutex(0)

    var now: Int { count.withLock(\.self) }

    func optOut() { count.withLock { $0 += 1 } }
}

/// When something was decided that an opt-out since then overrules.
@MainActor
final class ConsentDecision {
    /// The opt-outs of this process by then.
    let count: Int
    /// The opt-outs of all processes by then, as the settings say; nil until they were read.
    var stored: Int?

    init(count: Int) { self.count = count }
}
