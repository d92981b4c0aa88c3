import TelemetryModels

/// The events that the user marked, in the order of their dates.
struct WatchBookmarks: Sendable {
    struct Bookmark: Sendable {
        let event: TelemetryEvent
        /// The event's position among those that the view received; nil if the filter changed since.
        var ordinal: Int?
    }

    static let maximum = 1_000

    private(set) var all: [Bookmark] = []

    var isEmpty: Bool { all.isEmpty }

    func contains(_ event: TelemetryEvent) -> Bool { all.contains { $0.event.eventId == event.eventId } }

    /// Sets or removes a bookmark.
    /// - Returns: What happened, for the user.
    mutating func toggle(_ event: TelemetryEvent, ordinal: Int) -> String {
        if let index = all.firstIndex(where: { $0.event.eventId == event.eventId }) {
            all.remove(at: index)
            return "Bookmark removed."
        }
        guard all.count < Self.maximum else { return "There are already \(Self.maximum.grouped) bookmarks." }
        let index = all.firstIndex { Self.isEarlier(event, $0.event) } ?? all.count
        all.insert(Bookmark(event: event, ordinal: ordinal), at: index)
        return "Bookmark set; [ and ] go to the previous and next bookmark."
    }

    /// The positions are those of another filter's events.
    mutating func forgetOrdinals() { for index in all.indices { all[index].ordinal = nil } }

    /// The next bookmark, or after the last one the first; nil if there is none.
    func next(after event: TelemetryEvent?) -> Bookmark? {
        event.flatMap { event in all.first { Self.isEarlier(event, $0.event) } } ?? all.first
    }

    /// The previous bookmark, or before the first one the last; nil if there is none.
    func previous(before event: TelemetryEvent?) -> Bookmark? {
        event.flatMap { event in all.last { Self.isEarlier($0.event, event) } } ?? all.last
    }

    private static func isEarlier(_ left: TelemetryEvent, _ right: TelemetryEvent) -> Bool {
        (left.timestamp, left.sequence) < (right.timestamp, right.sequence)
    }
}
