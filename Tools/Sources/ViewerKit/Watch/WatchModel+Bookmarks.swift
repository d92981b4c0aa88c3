/// Bookmarks, which stay valid when their events are no longer loaded.
extension WatchModel {
    /// The maximum number of bookmarks.
    static let maximumBookmarks = 1_000

    mutating func toggleBookmark() {
        guard let ordinal = browser.current?.ordinal else { return }
        let index = bookmarks.firstIndex { $0 >= ordinal } ?? bookmarks.count
        if index < bookmarks.count, bookmarks[index] == ordinal {
            bookmarks.remove(at: index)
            message = "Bookmark removed."
        } else if bookmarks.count < Self.maximumBookmarks {
            bookmarks.insert(ordinal, at: index)
            message = "Bookmark set; [ and ] go to the previous and next bookmark."
        } else {
            message = "There are already \(Self.maximumBookmarks.grouped) bookmarks."
        }
        // New events must not move the selection away from the event.
        browser.pause()
    }

    /// Goes to the next or previous bookmark; after the last one, to the first.
    mutating func goToBookmark(forward: Bool) -> Action {
        guard let first = bookmarks.first, let last = bookmarks.last else {
            message = "m sets a bookmark at the selected event."
            return .nothing
        }
        let current = browser.cursor.map { browser.ordinal($0) } ?? 0
        let target = forward ? bookmarks.first { $0 > current } ?? first : bookmarks.last { $0 < current } ?? last
        if pager == nil { pane = .events }
        return select(ordinal: target)
    }
}
