import Foundation
@_spi(Tooling) import TelemetryModels

/// Finds the events that triggers count.
///
/// Most triggers are decided once for each kind of event: its scenario, name, level and severity. Only the others read the event.
struct TriggerEvaluator {
    private struct Watched {
        let trigger: EventTrigger
        var counter = TriggerCounter()
    }

    /// A trigger that may match the events of one kind.
    private struct Candidate {
        let index: Int
        /// Whether it matches them without reading them.
        let isCertain: Bool
    }

    /// Names that contain numbers may make any number of kinds.
    private static let maximumKinds = 1_024

    private var watched: [Watched] = []
    /// By a hash of what the events of a kind have in common.
    private var kinds: [UInt64: [Candidate]] = [:]
    /// The kind of the last event, because the next one is often of the same.
    private var last: (hash: UInt64, candidates: [Candidate])?
    /// So that no event can be made to have the hash of another kind.
    private let seed = UInt64.random(in: .min ... .max)

    var isEmpty: Bool { watched.isEmpty }

    /// Replaces the triggers. Those that stay keep what they have counted.
    mutating func set(_ triggers: [EventTrigger]) {
        let counters = Dictionary(watched.map { ($0.trigger, $0.counter) }) { first, _ in first }
        watched = triggers.filter(\.trigger.isValid).map { Watched(trigger: $0, counter: counters[$0] ?? TriggerCounter()) }
        kinds = [:]
        last = nil
    }

    /// Evaluates the triggers on events.
    /// - Returns: What the triggers demand, in the order of the events.
    mutating func evaluate(_ events: UnreadEvents, clientId: String?, sessionId: String, now: Date) -> [TriggerFiring] {
        var firings: [TriggerFiring] = []
        let context = QueryContext(now: now)
        events.bytes.withByteView { bytes in
            for (index, place) in events.frames.enumerated() {
                let frame = bytes[place]
                // An event that was sent from a ring was read when it was kept.
                guard let fields = FrameFields(frame), fields.identity == nil else { continue }
                let candidates = candidates(for: fields, in: frame)
                guard !candidates.isEmpty else { continue }
                let sequence: UInt64? =
                    if case .segment(let first) = events.source { first &+ UInt64(index) } else { nil }
                let subject = FrameSubject(
                    fields, in: frame, clientId: clientId, sessionId: sessionId, sequence: sequence)
                for candidate in candidates {
                    let index = candidate.index
                    guard candidate.isCertain || watched[index].trigger.trigger.when.matches(subject, in: context) else {
                        continue
                    }
                    let trigger = watched[index].trigger
                    let isOwn = fields.scenario.map { frame[$0].isEqual(to: trigger.scenario) } ?? false
                    let outcome = watched[index].counter.add(fields.seconds, isOwn: isOwn, to: trigger.trigger)
                    if case .acts(let count) = outcome {
                        firings.append(TriggerFiring(trigger: trigger, events: count, clientId: clientId))
                    }
                }
            }
        }
        return firings
    }

    /// The triggers that may match an event.
    private mutating func candidates(for fields: FrameFields, in frame: ByteView) -> [Candidate] {
        let severity = Self.severityTexts(of: fields, in: frame)
        var hash = frame[fields.name].hash(seed: ByteHash.mix(seed, UInt64(fields.flags.rawValue)))
        hash = fields.scenario.map { frame[$0].hash(seed: hash) } ?? ~hash
        hash = severity.own.map { frame[$0].hash(seed: hash) } ?? ~hash
        hash = severity.level.map { frame[$0].hash(seed: hash) } ?? ~hash
        if let last, last.hash == hash { return last.candidates }
        let found = kinds[hash] ?? addKind(hash, fields, severity, in: frame)
        last = (hash, found)
        return found
    }

    private mutating func addKind(
        _ hash: UInt64, _ fields: FrameFields, _ severity: (own: Range<Int>?, level: Range<Int>?), in frame: ByteView
    ) -> [Candidate] {
        let places = [fields.name, fields.scenario, severity.own, severity.level]
        let candidates = candidates(of: places.map { $0.map { frame[$0].text } }, flags: fields.flags)
        if kinds.count >= Self.maximumKinds { kinds = [:] }
        kinds[hash] = candidates
        return candidates
    }

    /// - Parameter values: The name, the scenario, and the attributes `severity` and `level`.
    private func candidates(of values: [String?], flags: Frame.Flags) -> [Candidate] {
        // The library's own events trigger nothing.
        if values[0]?.hasPrefix("telemetry.") ?? true { return [] }
        let level: TelemetryLogLevel = flags.contains(.diagnostic) ? .diagnostic : .info
        let severity = QuerySeverity(
            attribute: { key in values[key == "severity" ? 2 : 3].map(TelemetryValue.string) }, level: level)
        let cell = QueryCell(
            count: 1, level: level, times: .distantPast ... .distantFuture, scenario: .init(values[1]), name: .init(values[0]),
            severity: .init(severity.rawValue))
        let context = QueryContext(now: .distantPast)
        return watched.indices.compactMap { index in
            let matches = watched[index].trigger.trigger.when.matches(cell, in: context)
            return matches == false ? nil : Candidate(index: index, isCertain: matches == true)
        }
    }

    /// The places of the attributes that state the severity, if they are short enough to name one.
    private static func severityTexts(
        of fields: FrameFields, in frame: ByteView
    ) -> (own: Range<Int>?, level: Range<Int>?) {
        var places: (own: Range<Int>?, level: Range<Int>?)
        _ = fields.forEachAttribute(in: frame) { name, value in
            guard name.count == 8 || name.count == 5, case .text(let place) = value, place.count <= 9 else { return }
            if frame[name].isEqual(to: "severity") { places.own = place }
            if frame[name].isEqual(to: "level") { places.level = place }
        }
        return places
    }
}
