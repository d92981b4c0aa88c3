/// The number of waiting events that wakes the consumer.
///
/// Waking a sleeping thread costs the logging thread about 15 µs. If wakes follow within milliseconds, the number is doubled, and
/// the consumer also wakes after ``linger``. When fewer events arrive, the number is the batch size again.
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
    mutating func noteWake(at time: Duration) {
        // Equal times are of a clock that does not advance.
        let isRapid = lastWake.map { time > $0 && time - $0 < Self.rapid } ?? false
        lastWake = time
        rapidWakes = isRapid ? rapidWakes + 1 : 0
        if rapidWakes > Self.tolerated {
            threshold = min(max(threshold * 2, batchSize), max(Self.most, batchSize))
        }
    }

    /// Notes that too few events arrived while the consumer lingered.
    mutating func noteQuiet() {
        threshold = batchSize
        rapidWakes = 0
    }

    mutating func reset() {
        noteQuiet()
        lastWake = nil
    }
}
