@_spi(Tooling) import TelemetryLogging
import TelemetryModels
import ViewerKit

/// Where the values of stored events look like personal data, or give access. It contains none of these values.
struct PrivacyReport {
    typealias Pattern = TelemetryRedaction.Pattern

    /// A part of events in which a pattern was found.
    struct Place: Hashable {
        let scenario: String?
        let event: String
        /// The name of an attribute; nil for the event's text.
        let attribute: String?
        let pattern: Pattern
        /// Whether it was found in a name, to which a redaction does not apply.
        let isName: Bool
    }

    private let scanner = PatternScanner(Set(Pattern.allCases))
    private(set) var eventCount = 0
    /// How many events have the pattern there.
    private(set) var counts: [Place: Int] = [:]

    mutating func add(_ event: TelemetryEvent) {
        eventCount += 1
        var found: Set<Place> = []
        let (scenario, name) = (event.scenario.map(masked), masked(event.name))
        func add(_ text: String, attribute: String? = nil, isName: Bool = false) {
            // A pseudonym in a path is not the fragment of a URL.
            let text = text.contains("#") ? text.replacing(/#[0-9a-f]{12}(?![0-9a-zA-Z])/, with: "_") : text
            for match in scanner.matches(in: text) {
                found.insert(Place(scenario: scenario, event: name, attribute: attribute, pattern: match.pattern, isName: isName))
            }
        }
        add(event.name, isName: true)
        if let scenario = event.scenario { add(scenario, isName: true) }
        if let text = event.property1 { add(text) }
        for (key, value) in event.attributes {
            let shown = masked(key)
            add(key, attribute: shown, isName: true)
            if case .string(let text) = value { add(text, attribute: shown) }
        }
        for place in found { counts[place, default: 0] += 1 }
    }

    /// A name, unless a pattern matches in it.
    private func masked(_ name: String) -> String { scanner.matches(in: name).isEmpty ? name : "…" }

    /// The places, those with the highest counts first.
    private var rows: [(place: Place, count: Int)] {
        counts.map { (place: $0.key, count: $0.value) }.sorted { ($1.count, key($0.place)) < ($0.count, key($1.place)) }
    }

    private func key(_ place: Place) -> String {
        [place.scenario ?? "", place.event, place.attribute ?? "", "\(place.pattern)", "\(place.isName)"].joined(separator: "\0")
    }

    var table: Table {
        var table = Table([
            .text("scenario", priority: 8), .text("event", priority: 7), .text("in", priority: 9),
            .text("looks like", priority: 10),
            .number("events", priority: 6),
        ])
        for (place, count) in rows {
            let part = place.attribute.map { "attribute \($0)" } ?? (place.isName ? "name" : "text")
            table.add([
                .init(place.scenario ?? "–"), .init(place.event),
                .init(place.isName && place.attribute != nil ? "\(part), its name" : part),
                .init(Self.name(of: place.pattern)), .init(count.grouped),
            ])
        }
        return table
    }

    var objects: [JSONLine] {
        rows.map { place, count in
            var line = JSONLine()
            line.add("scenario", place.scenario)
            line.add("event", place.event)
            line.add("attribute", place.attribute)
            line.add("isName", place.isName)
            line.add("pattern", "\(place.pattern)")
            line.add("events", count)
            return line
        }
    }

    /// The declarations in a host that keep what was found in strings from being recorded; empty if nothing was found there.
    var declarations: [String] {
        let found = Pattern.allCases.filter { pattern in counts.keys.contains { $0.pattern == pattern && !$0.isName } }
        guard !found.isEmpty else { return [] }
        let others = found.filter { TelemetryRedaction.standard.patterns[$0] == nil }
        return ["loggerConfiguration.redaction = .standard"]
            + others.map { "loggerConfiguration.redaction.patterns[.\($0)] = .hash" }
    }

    /// Whether something was found in names.
    var hasNames: Bool { counts.keys.contains(where: \.isName) }

    private static func name(of pattern: Pattern) -> String {
        switch pattern {
        case .emailAddress: "an email address"
        case .bearerToken: "a bearer token"
        case .jsonWebToken: "a JSON Web Token"
        case .creditCard: "a card number"
        case .ipAddress: "an IP address"
        case .urlCredentials: "credentials in a URL"
        case .urlQuery: "the query of a URL"
        }
    }
}
