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

    /// What events of one kind have in common, and which triggers may match them.
    private struct Kind {
        let flags: Frame.Flags
        let texts: [[UInt8]?]
        /// The indices of the triggers, and whether each matches without reading the event.
        let candidates: [(index: Int, isCertain: Bool)]

        func isOf(_ places: [Range<Int>?], in frame: ByteView, flags: Frame.Flags) -> Bool {
            guard flags == self.flags else { return false }
            return zip(places, texts).allSatisfy { place, text in
                guard let place, let text else { return place == nil && text == nil }
                return text.withByteView { $0.isEqual(to: frame[place]) }
            }
        }
    }

    /// Names that contain numbers may make any number of kinds.
    private static let maximumKinds = 1_024

    private var watched: [Watched] = []
    private var kinds: [UInt64: Kind] = [:]

    var isEmpty: Bool { watched.isEmpty }

    /// Replaces the triggers. Those that stay keep what they have counted.
    mutating func set(_ triggers: [EventTrigger]) {
        let counters = Dictionary(watched.map { ($0.trigger, $0.counter) }) { first, _ in first }
        watched = triggers.filter(\.trigger.isValid).map { Watched(trigger: $0, counter: counters[$0] ?? TriggerCounter()) }
        kinds = [:]
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
                    frame: frame, fields: fields, clientId: clientId, sessionId: sessionId, sequence: sequence)
                for (index, isCertain) in candidates {
                    let trigger = watched[index].trigger
                    guard isCertain || trigger.trigger.when.matches(subject, in: context) else { continue }
                    let isOwn = fields.scenario.map { frame[$0].isEqual(to: trigger.scenario) } ?? false
                    let outcome = watched[index].counter.add(fields.seconds, isOwn: isOwn, to: trigger.trigger)
                    if case .acts(let count) = outcome { firings.append(TriggerFiring(trigger: trigger, events: count)) }
                }
            }
        }
        return firings
    }

    /// The triggers that may match an event.
    private mutating func candidates(for fields: FrameFields, in frame: ByteView) -> [(index: Int, isCertain: Bool)] {
        let severity = Self.severityTexts(of: fields, in: frame)
        let places = [fields.name, fields.scenario, severity.own, severity.level]
        var hash = UInt64(fields.flags.rawValue)
        for place in places { hash = place.map { frame[$0].hash(seed: hash) } ?? ~hash }
        if let kind = kinds[hash], kind.isOf(places, in: frame, flags: fields.flags) { return kind.candidates }
        let texts = places.map { $0.map { frame[$0].array } }
        let kind = Kind(flags: fields.flags, texts: texts, candidates: candidates(forTexts: texts, flags: fields.flags))
        if kinds.count >= Self.maximumKinds { kinds = [:] }
        kinds[hash] = kind
        return kind.candidates
    }

    /// - Parameter texts: The name, the scenario, and the attributes `severity` and `level`.
    private func candidates(
        forTexts texts: [[UInt8]?], flags: Frame.Flags
    ) -> [(index: Int, isCertain: Bool)] {
        let values = texts.map { $0.map { String(decoding: $0, as: UTF8.self) } }
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
            return matches == false ? nil : (index, matches == true)
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
