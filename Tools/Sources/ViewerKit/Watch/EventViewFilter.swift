/// Which events the view shows.
struct EventViewFilter: Sendable {
    /// Only events in which the pattern is found; nil for all.
    var pattern: EventPattern?
    /// Only events of this client; nil for all.
    var clientId: String?
    /// Only events of this severity and above; nil for all.
    var severity: EventSeverity?

    var isNarrow: Bool { selectsContents || clientId != nil }
    /// Whether events are selected by what they contain, so that gaps between them mean nothing.
    var selectsContents: Bool { pattern != nil || severity != nil }
}
