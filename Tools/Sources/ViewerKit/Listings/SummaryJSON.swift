import Foundation
import TelemetryModels

extension JSONLine {
    private typealias Field = TelemetrySchema.Field

    /// - Parameter hasGaps: Whether missing sequence numbers are gaps, because no filter excludes events.
    public init(_ session: EventSummary.Session, hasGaps: Bool) {
        self.init()
        add(Field.sessionId.rawValue, session.id)
        add(Field.clientId.rawValue, session.clientId)
        add("first", session.count.first)
        add("last", session.count.last)
        add("events", session.count.events)
        add("missing", hasGaps ? session.missing : nil)
        add("dropped", session.dropped)
        add(Field.appVersion.rawValue, session.app)
        add(Field.deviceName.rawValue, session.device)
    }

    public init(_ finding: StoreExamination.Finding) {
        self.init()
        add("severity", finding.severity.rawValue)
        add("text", finding.text)
        add("advice", finding.advice)
    }

    fileprivate init(kind: String) {
        self.init()
        add("kind", kind)
    }

    fileprivate mutating func add(_ count: EventSummary.Count) {
        add("events", count.events)
        add("diagnostic", count.diagnostic)
        add("perSecond", count.rate)
        add("first", count.first)
        add("last", count.last)
    }
}

extension EventSummary {
    /// The counts by scenario, by client and by hour, then the totals, one object each.
    /// - Parameters:
    ///   - hasGaps: Whether missing sequence numbers are gaps, because no filter excludes events.
    ///   - retention: The relay's; nil for a store in a directory.
    ///   - sizes: Those of the relay's scenarios.
    public func objects(
        hasGaps: Bool, retention: RelayRetention? = nil, sizes: [String?: RelayScenarioSize] = [:]
    ) -> [JSONLine] {
        var objects: [JSONLine] = []
        for (name, count) in Self.largestFirst(scenarios) {
            var object = JSONLine(kind: "scenario")
            object.add(TelemetrySchema.Field.scenario.rawValue, name)
            object.add(count)
            let limits = retention?.limits(of: name)
            object.add("maximumAge", limits?.age)
            object.add("maximumBytes", limits?.bytes)
            object.add("storedBytes", sizes[name]?.bytes)
            object.add("lastExpires", sizes[name]?.lastExpires)
            objects.append(object)
        }
        for (name, count) in Self.largestFirst(clients) {
            var object = JSONLine(kind: "client")
            object.add(TelemetrySchema.Field.clientId.rawValue, name)
            object.add(count)
            objects.append(object)
        }
        for (hour, count) in hours.sorted(by: { $0.key < $1.key }) {
            var object = JSONLine(kind: "hour")
            object.add("start", Date(timeIntervalSince1970: TimeInterval(hour)))
            object.add("events", count)
            objects.append(object)
        }
        var total = JSONLine(kind: "total")
        total.add("sessions", sessions.count)
        total.add("missing", hasGaps ? missing : nil)
        total.add("dropped", dropped)
        total.add(all)
        return objects + [total]
    }

    /// The counts, those with most events first.
    public static func largestFirst(_ counts: [String?: Count]) -> [(name: String?, count: Count)] {
        counts.sorted { ($1.value.events, $0.key ?? "") < ($0.value.events, $1.key ?? "") }.map { ($0.key, $0.value) }
    }
}
