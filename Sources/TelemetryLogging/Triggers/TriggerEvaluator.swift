import Foundation
@_spi(Tooling) import TelemetryModels

/// Finds the events that triggers count.
///
/// Most triggers are decided once for each kind of event. Of the others, most are excluded for an event without evaluating their
/// queries: by a number that they demand of an attribute, or by letters that they demand in a text.
struct TriggerEvaluator {
    private struct Watched {
        let trigger: EventTrigger
        var counter = TriggerCounter()
    }

    private var watched: [Watched] = []
    private var demands = TriggerDemands([])
    private var kinds = TriggerKinds([], demands: [])

    var isEmpty: Bool { watched.isEmpty }

    /// Replaces the triggers. Those that stay keep what they have counted.
    mutating func set(_ triggers: [EventTrigger]) {
        let counters = Dictionary(watched.map { ($0.trigger, $0.counter) }) { first, _ in first }
        watched = triggers.filter(\.trigger.isValid).map { Watched(trigger: $0, counter: counters[$0] ?? TriggerCounter()) }
        let queries = watched.map(\.trigger.trigger.when)
        demands = TriggerDemands(queries)
        kinds = TriggerKinds(queries, demands: demands.demands)
    }

    /// Evaluates the triggers on events.
    /// - Returns: What the triggers demand, in the order of the events.
    mutating func evaluate(_ events: UnreadEvents, clientId: String?, sessionId: String, now: Date) -> [TriggerFiring] {
        var firings: [TriggerFiring] = []
        let context = QueryContext(now: now)
        let demands = demands
        events.bytes.withByteView { bytes in
            for (index, place) in events.frames.enumerated() {
                let frame = bytes[place]
                // An event that was sent from a ring was read when it was kept.
                guard let fields = FrameFields(frame), fields.identity == nil, let kind = kinds.kind(of: fields, in: frame) else {
                    continue
                }
                for trigger in kind.certain { count(fields, in: frame, for: trigger, clientId: clientId, &firings) }
                let found = demands.found(kind, fields, in: frame)
                if kind.open.isEmpty, found.isEmpty { continue }
                let sequence: UInt64? =
                    if case .segment(let first) = events.source { first &+ UInt64(index) } else { nil }
                let subject = FrameSubject(fields, in: frame, clientId: clientId, sessionId: sessionId, sequence: sequence)
                for trigger in kind.open + found where watched[trigger].trigger.trigger.when.matches(subject, in: context) {
                    count(fields, in: frame, for: trigger, clientId: clientId, &firings)
                }
            }
        }
        return firings
    }

    private mutating func count(
        _ fields: FrameFields, in frame: ByteView, for index: Int, clientId: String?, _ firings: inout [TriggerFiring]
    ) {
        let trigger = watched[index].trigger
        let isOwn = fields.scenario.map { frame[$0].isEqual(to: trigger.scenario) } ?? false
        let outcome = watched[index].counter.add(fields.seconds, isOwn: isOwn, to: trigger.trigger)
        guard case .acts(let count) = outcome else { return }
        firings.append(TriggerFiring(trigger: trigger, events: count, clientId: clientId))
    }
}
