public import Foundation
@_spi(Tooling) public import TelemetryModels

/// Replays a client's stored events for a rule's trigger, as the client would have counted them.
///
/// Of the events that match, only the times are kept, until ``result()`` counts them in their order.
public struct TriggerReplay {
    /// An action of the client.
    public struct Action: Equatable {
        /// The time of the event that caused it.
        public let date: Date
        /// How many events were counted.
        public let events: Int
    }

    /// An event that does not match.
    public struct Miss {
        public let event: TelemetryEvent
        /// The conditions that it does not fulfil.
        public let failed: [TelemetryQuery]

        /// The event's values of the fields that these conditions name; nil for one that it lacks.
        public var values: [(field: String, value: String?)] {
            failed.reduce(into: Set<QueryField>()) { $0.formUnion($1.fields) }
                .map { ($0.canonicalName, event.value(of: $0)?.plain) }.sorted { $0.field < $1.field }
        }
    }

    /// What the client would have done.
    public struct Result {
        /// How many events were replayed.
        public var events = 0
        /// How many of them match the trigger's query.
        public var matched = 0
        public var actions: [Action] = []
        /// How often the trigger's limit prevented an action.
        public var heldBack = 0
        /// The largest number of matching events within the trigger's period that caused no action.
        public var largestCount = 0
        /// How many events fulfil every condition of the query but this one, most frequent first.
        public var failures: [(condition: TelemetryQuery, events: Int)] = []
        /// The latest of the events that fail the fewest conditions.
        public var nearestMiss: Miss?
    }

    private struct Match {
        let seconds: Double
        let session: String
        let isOwn: Bool
    }

    /// The maximum number of matching events.
    public static let maximumMatches = 1_000_000

    private let trigger: TelemetryTrigger
    private let scenario: String
    private let conditions: [TelemetryQuery]
    private var matches: [Match] = []
    private var events = 0
    private var failures: [Int]
    private var nearestMiss: Miss?

    /// - Parameter scenario: The scenario that the trigger acts on.
    public init(of trigger: TelemetryTrigger, on scenario: String) {
        self.trigger = trigger
        self.scenario = scenario
        conditions = trigger.when.conditions
        failures = conditions.map { _ in 0 }
    }

    /// Adds an event, in any order.
    /// - Throws: ``ToolFailure`` if more than ``maximumMatches`` events match.
    public mutating func add(_ stored: TelemetryEvent) throws {
        guard !stored.name.hasPrefix("telemetry.") else { return }
        // The client read a captured event when it was kept, before it was marked.
        let event = stored.isCaptured ? stored.unmarked : stored
        events += 1
        // The client read the event soon after it was logged.
        let failed = conditions.indices.filter { !conditions[$0].matches(event, now: event.timestamp) }
        guard failed.isEmpty else { return addMiss(event, failed) }
        guard matches.count < Self.maximumMatches else {
            throw ToolFailure(
                .data, "More than \(Self.maximumMatches.grouped) events of a client match. Replay fewer of them with --since.")
        }
        matches.append(
            Match(
                seconds: event.timestamp.timeIntervalSinceReferenceDate, session: event.sessionId,
                isOwn: event.scenario == scenario))
    }

    private mutating func addMiss(_ event: TelemetryEvent, _ failed: [Int]) {
        if failed.count == 1 { failures[failed[0]] += 1 }
        if let nearest = nearestMiss {
            guard failed.count <= nearest.failed.count else { return }
            if failed.count == nearest.failed.count, event.timestamp < nearest.event.timestamp { return }
        }
        nearestMiss = Miss(event: event, failed: failed.map { conditions[$0] })
    }

    /// Counts the matching events in the order of their times. What was counted ends with its session, as it ends with the process.
    public func result() -> Result {
        var result = Result(events: events, matched: matches.count, nearestMiss: nearestMiss)
        result.failures = zip(conditions, failures).filter { $0.1 > 0 }.map { ($0.0, $0.1) }.sorted { $0.events > $1.events }
        var counters: [String: TriggerCounter] = [:]
        for match in matches.sorted(by: { $0.seconds < $1.seconds }) {
            switch counters[match.session, default: TriggerCounter()].add(match.seconds, isOwn: match.isOwn, to: trigger) {
            case .counted(let count): result.largestCount = max(result.largestCount, count)
            case .acts(let count):
                result.actions.append(Action(date: Date(timeIntervalSinceReferenceDate: match.seconds), events: count))
            case .heldBack: result.heldBack += 1
            case .ownEvent: break
            }
        }
        return result
    }
}
