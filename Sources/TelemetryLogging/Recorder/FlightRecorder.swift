/// The rings of a logger: the last events of scenarios that are off.
struct FlightRecorder: Sendable {
    /// By index, which belongs to one scenario for good; nil while the scenario is not recorded.
    private var rings: [EventRing?] = []
    private var indices: [String: Int] = [:]
    private let maximumAge: Double

    init(maximumAge: Double) { self.maximumAge = maximumAge }

    /// Appends an event of a scenario that is off.
    @inline(__always)
    mutating func append(_ frame: EncodedFrame, to index: Int, seconds: Double) {
        guard index < rings.count else { return }
        rings[index]?.append(frame, seconds: seconds, oldest: seconds - maximumAge)
    }

    func ring(of scenario: String) -> EventRing? { indices[scenario].flatMap { rings[$0] } }

    /// The indices of the scenarios that are recorded.
    var recorded: [String: Int] { indices.filter { rings[$0.value] != nil } }

    /// Installs an empty ring, and appends the events of the ring that it replaces and of others.
    /// - Returns: the ring that it replaces.
    mutating func install(
        _ empty: EventRing, merging others: [RecordedEvents], window: RecordedEvents.Window
    ) -> EventRing? {
        let index = indices[empty.scenario] ?? rings.count
        if index == rings.count {
            indices[empty.scenario] = index
            rings.append(nil)
        }
        let replaced = rings[index]
        var ring = empty
        ring.append([replaced?.events.remaining(in: window)].compactMap(\.self) + others)
        // Triggers read before, and do not read the events of other processes.
        ring.skipUnread()
        rings[index] = ring
        return replaced
    }

    /// Copies the next events of a ring that triggers have not read.
    mutating func takeUnread(limit: Int) -> UnreadEvents? {
        for index in rings.indices {
            if let events = rings[index]?.takeUnread(limit: limit) { return events }
        }
        return nil
    }

    /// Marks all events as read by triggers.
    mutating func skipUnread() {
        for index in rings.indices { rings[index]?.skipUnread() }
    }

    /// Removes the rings of all other scenarios.
    /// - Returns: the removed rings, whose files still exist.
    mutating func remove(except scenarios: Set<String> = []) -> [EventRing] {
        var removed: [EventRing] = []
        for (scenario, index) in indices where !scenarios.contains(scenario) {
            if let ring = rings[index] { removed.append(ring) }
            rings[index] = nil
        }
        return removed
    }
}
