/// With how many waiting events the consumer is woken.
///
/// Waking a sleeping thread costs the one that logs some 15 µs. Where events come so fast that wakes follow one another
/// within milliseconds, the number is doubled, and the consumer looks by itself after ``linger``; once it is quiet, the
/// number is the batch size again.
struct WakeRate: Sendable {
    static let linger: Duration = .milliseconds(20)
    private static let rapid: Duration = .milliseconds(5)
    private static let tolerated = 8
    private static let most = 4_096

    private let batchSize: Int
    private(set) var threshold: Int
    private var lastWake: Duration?
    private var rapidWakes = 0

    init(batchSize: Int) {
        self.batchSize = batchSize
        threshold = batchSize
    }

    var isRaised: Bool { threshold > batchSize }

    /// Notes that a delivery begins because enough events wait.
    mutating func noteWake(at moment: Duration) {
        // A clock that stands still says nothing about speed.
        let isRapid = lastWake.map { moment > $0 && moment - $0 < Self.rapid } ?? false
        lastWake = moment
        rapidWakes = isRapid ? rapidWakes + 1 : 0
        if rapidWakes > Self.tolerated {
            threshold = min(max(threshold * 2, batchSize), max(Self.most, batchSize))
        }
    }

    /// Notes that too few came while the consumer lingered.
    mutating func noteQuiet() {
        threshold = batchSize
        rapidWakes = 0
    }

    mutating func reset() {
        noteQuiet()
        lastWake = nil
    }
}
