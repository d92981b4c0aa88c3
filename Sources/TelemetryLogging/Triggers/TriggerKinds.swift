import Foundation
@_spi(Tooling) import TelemetryModels

/// Decides queries once for each kind of event: its scenario, name, level and severity.
struct TriggerKinds {
    /// What is decided for the events of one kind.
    final class Kind: Sendable {
        /// The queries that match all of them.
        let certain: [Int]
        /// The queries that may match some of them, and demand nothing.
        let open: [Int]
        /// Whether a query may match some of them, and demands something.
        let isDemanding: [Bool]
        let demandsNumbers: Bool
        let demandsLetters: Bool
        /// Whether their severity has to be known, which is stated by attributes.
        fileprivate let needsSeverity: Bool

        fileprivate init(
            certain: [Int] = [], undecided: [Int] = [], demands: [TriggerDemands.Demand] = [], needsSeverity: Bool = false
        ) {
            self.certain = certain
            open = undecided.filter { demands[$0] == .nothing }
            var isDemanding = [Bool](repeating: false, count: demands.count)
            for query in undecided where demands[query] != .nothing { isDemanding[query] = true }
            self.isDemanding = isDemanding
            demandsNumbers = undecided.contains { demands[$0] == .number }
            demandsLetters = undecided.contains { demands[$0] == .letters }
            self.needsSeverity = needsSeverity
        }
    }

    /// Names that contain numbers may make any number of kinds.
    private static let maximumKinds = 1_024

    private let queries: [(query: TelemetryQuery, asksSeverity: Bool)]
    private let demands: [TriggerDemands.Demand]
    /// The first is of the events that no query matches.
    private var kinds = [Kind()]
    private var places = HashTable(capacity: maximumKinds)
    /// So that no event can be made to have the hash of another kind.
    private let seed = UInt64.random(in: .min ... .max)

    /// - Parameter demands: Those of the queries.
    init(_ queries: [TelemetryQuery], demands: [TriggerDemands.Demand]) {
        self.queries = queries.map { ($0, $0.fields.contains(.severity)) }
        self.demands = demands
    }

    /// The kind of an event; nil if no query matches it.
    @inline(__always)
    mutating func kind(of fields: FrameFields, in frame: ByteView) -> Kind? {
        // The scenario follows the name.
        let places = fields.name.lowerBound..<(fields.scenario ?? fields.name).upperBound
        let flags = fields.flags.intersection([.diagnostic, .scenario, .attributes])
        let hash = frame[places].hash(seed: ByteHash.mix(seed, UInt64(fields.name.count) << 8 | UInt64(flags.rawValue)))
        let index = self.places[hash] ?? add(hash, fields, nil, in: frame)
        if index == 0 { return nil }
        return kinds[index].needsSeverity ? kindWithSeverity(hash, fields, in: frame) : kinds[index]
    }

    private mutating func kindWithSeverity(_ hash: UInt64, _ fields: FrameFields, in frame: ByteView) -> Kind? {
        let texts = Self.severityTexts(of: fields, in: frame)
        var hash = texts.own.map { frame[$0].hash(seed: hash) } ?? ByteHash.mix(hash, 1)
        hash = texts.level.map { frame[$0].hash(seed: hash) } ?? ByteHash.mix(hash, 2)
        let index = places[hash] ?? add(hash, fields, texts, in: frame)
        return index == 0 ? nil : kinds[index]
    }

    /// - Parameter texts: The places of the attributes `severity` and `level`; nil if they are not known.
    @inline(never)
    private mutating func add(
        _ hash: UInt64, _ fields: FrameFields, _ texts: (own: Range<Int>?, level: Range<Int>?)?, in frame: ByteView
    ) -> Int {
        if places.count == Self.maximumKinds {
            kinds = [Kind()]
            places = HashTable(capacity: Self.maximumKinds)
        }
        var index = 0
        if let kind = kind(fields, texts, in: frame) {
            index = kinds.count
            kinds.append(kind)
        }
        places.insert(index, for: hash)
        return index
    }

    private func kind(
        _ fields: FrameFields, _ texts: (own: Range<Int>?, level: Range<Int>?)?, in frame: ByteView
    ) -> Kind? {
        let name = frame[fields.name].text
        // The library's own events trigger nothing.
        if name.hasPrefix("telemetry.") { return nil }
        let level: TelemetryLogLevel = fields.flags.contains(.diagnostic) ? .diagnostic : .info
        let isKnown = texts != nil || !fields.flags.contains(.attributes)
        let severity = QuerySeverity(
            attribute: { key in
                (key == "severity" ? texts?.own : texts?.level).map { .string(frame[$0].text) }
            }, level: level)
        let cell = QueryCell(
            count: 1, level: level, times: .distantPast ... .distantFuture,
            scenario: .init(fields.scenario.map { frame[$0].text }),
            name: .init(name), severity: isKnown ? .init(severity.rawValue) : .unknown)
        // At that time, the age of an event is not decided.
        let context = QueryContext(now: .distantFuture)
        let decisions = queries.map { $0.query.matches(cell, in: context) }
        let certain = decisions.indices.filter { decisions[$0] == true }
        let undecided = decisions.indices.filter { decisions[$0] == nil }
        if certain.isEmpty, undecided.isEmpty { return nil }
        return Kind(
            certain: certain, undecided: undecided, demands: demands,
            needsSeverity: !isKnown && undecided.contains { queries[$0].asksSeverity })
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
