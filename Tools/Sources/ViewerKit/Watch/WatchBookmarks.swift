/// The events that the user marked, by their ordinals, which stay valid when the events are no longer loaded.
struct WatchBookmarks: Sendable {
    static let maximum = 1_000

    /// In ascending order.
    private(set) var ordinals: [Int] = []

    var isEmpty: Bool { ordinals.isEmpty }

    func contains(_ ordinal: Int) -> Bool { ordinals.contains(ordinal) }

    /// Sets or removes a bookmark.
    /// - Returns: What happened, for the user.
    mutating func toggle(_ ordinal: Int) -> String {
        let index = ordinals.firstIndex { $0 >= ordinal } ?? ordinals.count
        if index < ordinals.count, ordinals[index] == ordinal {
            ordinals.remove(at: index)
            return "Bookmark removed."
        }
        guard ordinals.count < Self.maximum else { return "There are already \(Self.maximum.grouped) bookmarks." }
        ordinals.insert(ordinal, at: index)
        return "Bookmark set; [ and ] go to the previous and next bookmark."
    }

    /// The next bookmark, or after the last one the first; nil if there is none.
    func next(after ordinal: Int) -> Int? { ordinals.first { $0 > ordinal } ?? ordinals.first }

    /// The previous bookmark, or before the first one the last; nil if there is none.
    func previous(before ordinal: Int) -> Int? { ordinals.last { $0 < ordinal } ?? ordinals.last }
}
