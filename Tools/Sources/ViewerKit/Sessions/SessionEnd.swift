public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// A session that ended without a shutdown, as its client reported at the next start.
public struct SessionEnd: Sendable {
    /// The filter for the events that report one.
    public static let filter = "name:=telemetry.session -scenario:* attributes.session:*"

    /// The event that reports it. It belongs to a later session of the client.
    public let report: TelemetryEvent
    /// The identifier of the session that ended.
    public let session: String
    /// The event by which a client on one of Apple's systems adds what the system knows about the crash.
    public private(set) var diagnostic: TelemetryEvent?

    /// Nil for an event that reports no session.
    public init?(_ event: TelemetryEvent) {
        guard event.name == "telemetry.session", event.scenario == nil, let session = event.attributes["session"] else {
            return nil
        }
        report = event
        self.session = session.plain
    }

    /// How it ended: `signal`, `killed`, `restart`, `unknown`, or what a later version of the library reports.
    public var end: String { text("end") ?? "unknown" }
    /// The name of the signal; nil if none ended it.
    public var signal: String? { text("signal") ?? described("signal") }
    public var appVersion: String? { text("appVersion") }
    public var backtrace: String? { text("backtrace") ?? described("backtrace") }
    /// When it was last active or, if that is not reported, when its end was reported.
    public var date: Date { if case .date(let date)? = report.attributes["lastActive"] { date } else { report.timestamp } }

    /// The maximum number of bytes of an identifier in a request. The library's are shorter.
    private static let identifierLimit = 1_024

    private func text(_ name: String) -> String? { report.attributes[name]?.plain }
    private func described(_ name: String) -> String? { diagnostic?.attributes[name]?.plain }

    /// The filters for its events: those that it sent, and those that the flight recorder kept, which the reporting session sent.
    /// - Parameter seconds: Only events within this time before the end.
    public func events(within seconds: TimeInterval? = nil) throws -> [TelemetryEventFilter] {
        let sent = TelemetryEventFilter(clientId: report.clientId, sessionId: session)
        var kept = TelemetryEventFilter(clientId: report.clientId, sessionId: report.sessionId)
        kept.until = report.timestamp
        kept.query = try TelemetryQuery("telemetry.captured:=true")
        let filters = (session == report.sessionId ? [sent] : [sent, kept]).filter {
            $0.sessionId.map { $0.utf8.count <= Self.identifierLimit } == true
        }
        guard let seconds else { return filters }
        return filters.map { filter in
            var filter = filter
            filter.since = date - seconds
            // The filter excludes this date. The last event has the date of the end, perhaps rounded.
            filter.until = date + 0.001
            return filter
        }
    }

    /// The filter for the events of its client that may be its ``diagnostic``.
    public var diagnostics: TelemetryEventFilter {
        TelemetryEventFilter(clientId: report.clientId, names: ["telemetry.diagnostic"])
    }

    /// Sets the first of the events that describes this session as its ``diagnostic``.
    public mutating func add(_ diagnostics: [TelemetryEvent]) {
        diagnostic = diagnostics.first { $0.scenario == nil && $0.attributes["session"]?.plain == session }
    }

    /// The row that marks the end among other events.
    func row(time: TimeText) -> String {
        let cause = (signal ?? end).shortened
        return "── session \(session.shortened.visible.fitted(to: 9)) ended: \(cause) (last active \(time.dayAndSecond(date))) ──"
    }

    /// What is known about it, and the backtrace, with control characters escaped.
    public func lines(aliases: ClientAliases, style: Style, time: TimeText = TimeText()) -> [String] {
        var facts = [
            ("session", session), ("client", report.clientId.map(aliases.nameAndIdentifier) ?? "–"),
            ("app version", appVersion ?? "–"), ("end", [end, signal].compactMap(\.self).joined(separator: ", ")),
            ("last active", time.dayAndTime(date)), ("reported", time.dayAndTime(report.timestamp)),
        ]
        if let reason = described("terminationReason") { facts.append(("reason", reason)) }
        let frames = backtrace?.split(omittingEmptySubsequences: false) { $0.isNewline } ?? ["none"]
        return facts.map { style.dim($0.padded(to: 13)) + $1.visible } + ["", style.dim("backtrace")]
            + frames.map { "  \(String($0).visible)" }
    }
}
