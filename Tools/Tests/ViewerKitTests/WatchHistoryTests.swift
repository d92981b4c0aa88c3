import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit

struct WatchHistoryTests {
    private static let since = WatchedEvents.now - 600

    /// A store with old events, of which each is one minute older than the next, and with events since the view's start.
    private func store(old: Int, new: Int) async throws -> InMemoryTelemetryTransport {
        let transport = InMemoryTelemetryTransport()
        let events = (0..<old).map { WatchedEvents.event($0 - old, age: 660 + 60 * Double(old - 1 - $0)) }
        try await transport.append(events)
        try await transport.append((0..<new).map { WatchedEvents.event($0, text: $0 == 3 ? "needle" : nil) })
        return transport
    }

    /// A model that has read the events since the view's start, and the history for it.
    private func view(of transport: InMemoryTelemetryTransport) async throws -> (WatchModel, EventHistory) {
        let history = EventHistory(transport: transport, filter: .init(since: Self.since))
        var model = WatchedEvents.model([])
        var cursor: TelemetryCursor?
        while true {
            let page = try await transport.events(matching: .init(since: Self.since), after: cursor, limit: 700)
            await history.record(page.events.count, before: page.cursor)
            model.receive(page.events, skipped: 0)
            cursor = page.cursor
            guard page.hasMore else { return (model, history) }
        }
    }

    /// Presses a key, and answers the requests that follow.
    private func press(_ key: Key, _ model: inout WatchModel, _ history: EventHistory) async throws {
        var action = model.press(key)
        while case .read(let request) = action { action = model.receive(try await history.page(request), for: request) }
    }

    @Test("Events from before the view's start are read once each, page by page", arguments: [0, 1, 100, 5_000])
    func olderEvents(count: Int) async throws {
        let (_, history) = try await view(of: store(old: count, new: 10))
        var ordinal = 0
        var found: [String] = []
        while true {
            let page = try await history.page(.older(than: ordinal))
            found = page.items.map(\.identifier) + found
            guard !page.isEmpty else {
                #expect(page.isOldest)
                break
            }
            #expect(page.range.upperBound == ordinal)
            ordinal = page.range.lowerBound
        }
        #expect(found == (0..<count).map { String($0 - count) })
    }

    @Test("Without a date, a view begins with the newest events that match its query, whatever their age")
    func newest() async throws {
        let transport = try await store(old: 12_000, new: 0)
        for (text, count) in [("", EventLog.capacity), ("sequence:=0 text:=\"number -7\"", 1), ("missing:*", 0)] {
            let query = try TelemetryQuery(text)
            let history = EventHistory(transport: transport, filter: TelemetryEventFilter(query: query))
            let newest = try await history.newestEvents()
            #expect(newest.events.count == count)
            let last = newest.events.last
            #expect(last.map { query.matches($0) } ?? true)
            if count == EventLog.capacity {
                #expect(last?.eventId == "-1")
                let older = try await history.page(.older(than: 0))
                #expect(older.items.map(\.identifier).last == "\(-EventLog.capacity - 1)")
            }
        }
    }

    @Test("The query of a view is shown above its events, and where there are none")
    func condition() throws {
        var model = WatchModel(
            store: "/store", now: WatchedEvents.now, filter: WatchFilter(.init(query: try TelemetryQuery("status:>=500"))))
        model.isCaughtUp = true
        let lines = WatchedEvents.drawn(model)
        #expect(lines.contains { $0.hasPrefix("─ EVENTS where: status:>=500 ") })
        #expect(lines.contains { $0.contains("No event matches.") })
    }

    @Test("Events that the log no longer keeps are read in both directions")
    func trimmedEvents() async throws {
        let (model, history) = try await view(of: store(old: 0, new: 25_000))
        let first = model.log.firstOrdinal
        #expect(first > 10_000)
        let older = try await history.page(.older(than: first))
        #expect(older.range.upperBound == first)
        #expect(older.items.first?.identifier == String(older.range.lowerBound))
        let newer = try await history.page(.newer(from: older.range.lowerBound + 5))
        #expect(newer.items.first?.identifier == String(older.range.lowerBound + 5))
        #expect(try await history.page(.around(3)).items.contains { $0.identifier == "3" })
        #expect(try await history.page(.newer(from: 25_000)).isEmpty)
    }

    @Test("Scrolling up moves a window of bounded size to the oldest stored event, and down again to the newest")
    func scrolling() async throws {
        var (model, history) = try await view(of: store(old: 1_500, new: 25_000))
        model.page = 1_000
        var order: [Int] = []
        while model.message != "This is the oldest stored event." {
            try await press(.pageUp, &model, history)
            order.append(model.browser.current?.ordinal ?? 0)
            #expect(model.browser.shown.end - model.browser.shown.first <= 11_000)
            if order.count > 100 { break }
        }
        #expect(order == order.sorted(by: >))
        #expect(model.selected == "number -1500")
        #expect(model.newer > 10_000)
        model.message = ""
        while model.isPaused, order.count < 200 {
            try await press(.pageDown, &model, history)
            order.append(0)
        }
        #expect(!model.isPaused)
        #expect(model.selected == "number 24999")
    }

    @Test("In a view without events, the keys that read older ones pause nothing, and new events are shown")
    func empty() async throws {
        var (model, history) = try await view(of: store(old: 0, new: 0))
        for key in [Key.up, .home, .pageUp] {
            try await press(key, &model, history)
            #expect(model.message.isEmpty)
            #expect(!model.isPaused)
        }
        model.receive([WatchedEvents.event(1)], skipped: 0)
        #expect(model.texts == ["number 1"])
    }

    @Test("N finds a match that is no longer loaded, and Escape shows the events around it")
    func searching() async throws {
        var (model, history) = try await view(of: store(old: 0, new: 25_000))
        _ = model.press(.character("f"))
        model.type("needle")
        _ = model.press(.enter)
        #expect(model.message.hasPrefix("No match in the loaded events"))
        try await press(.character("N"), &model, history)
        #expect(model.browser.current?.ordinal == 3)
        _ = model.press(.up)
        #expect(model.selected == "number 2")
    }

    /// Presses keys, and does what the session does for the action that follows.
    private func perform(
        _ keys: [Key], _ model: inout WatchModel, over transport: any TelemetryEventTransport
    ) async throws -> EventHistory {
        #expect(model.press(keys) == .follow)
        let history = EventHistory(transport: transport, filter: model.filter.events)
        let newest = try await history.newestEvents()
        var action = model.start(newest.events, hasMore: newest.hasMore)
        while case .read(let request) = action { action = model.receive(try await history.page(request), for: request) }
        return history
    }

    @Test("With a filter only matches are read, and clearing it finds the selected event among all events")
    func filtered() async throws {
        let transport = try await store(old: 0, new: 25_000)
        var (model, _) = try await view(of: transport)
        let limited = ShortHistoryTransport(transport, maximum: 2_000)
        var history = try await perform(
            [.character("/")] + "needle".map(Key.character) + [.enter], &model, over: limited)
        #expect(limited.historyLimits == [2_000])
        #expect(model.texts == ["needle"])
        #expect(model.browser.shown.end == 1)
        try await press(.up, &model, history)
        #expect(model.message == "This is the oldest stored event that matches.")
        history = try await perform([.escape], &model, over: transport)
        #expect(model.selected == "needle")
        _ = model.press(.down)
        #expect(model.selected == "number 4")
    }

    @Test("A bookmark of an earlier filter's event is found in the store")
    func earlierBookmark() async throws {
        let transport = try await store(old: 0, new: 25_000)
        var (model, _) = try await view(of: transport)
        var history = try await perform([.character("/")] + "needle".map(Key.character) + [.enter], &model, over: transport)
        try await press(.character("m"), &model, history)
        try await press(.end, &model, history)
        history = try await perform([.escape], &model, over: transport)
        #expect(!model.isPaused)
        try await press(.character("["), &model, history)
        #expect(model.selected == "needle")
    }

    @Test("A bookmark of an event that is no longer loaded is read from the store")
    func bookmark() async throws {
        var (model, history) = try await view(of: store(old: 0, new: 3_000))
        _ = [model.press(.home), model.press(.character("m")), model.press(.end)]
        let page = try await history.page(.newer(from: 0))
        for start in stride(from: 3_000, to: 20_000, by: page.items.count) {
            let events = (start..<start + page.items.count).map { WatchedEvents.event($0) }
            model.receive(events, skipped: 0)
        }
        try await press(.character("["), &model, history)
        #expect(model.selected == "number 0")
    }

    @Test("An answer that arrives after the view follows new events again is ignored, and a failure is shown")
    func lateAnswers() async throws {
        var (model, history) = try await view(of: store(old: 10, new: 3))
        guard case .read(let request) = model.press(.home) else {
            Issue.record("no .read")
            return
        }
        #expect(WatchedEvents.drawn(model).contains { $0.contains("[reading older events …]") })
        let page = try await history.page(request)
        _ = model.press(.end)
        #expect(model.receive(page, for: request) == .nothing)
        #expect(model.visibleEntries(20).count == 3)
        guard case .read(let second) = model.press(.home) else {
            Issue.record("no .read")
            return
        }
        model.receiveFailure("The store is not reachable.", of: second)
        #expect(model.message == "The store is not reachable.")
        try await press(.up, &model, history)
        #expect(model.selected == "number -1")
    }

    @Test("A request for older events reads one page, however many there are")
    func manyEvents() async throws {
        let transport = InMemoryTelemetryTransport()
        try await transport.append((0..<20_000).map { WatchedEvents.event($0 - 20_000, age: 600 + Double(20_000 - $0) / 200) })
        let limited = ShortHistoryTransport(transport, maximum: 2_000)
        let history = EventHistory(transport: limited, filter: .init(since: Self.since))
        let page = try await history.page(.older(than: 0))
        #expect(page.range == -2_000..<0)
        #expect(page.items.last?.identifier == "-1")
        // The second request is for the part of the page that the view needs.
        #expect(limited.historyLimits == [2_000, 2_000])
    }

    @Test("The small pages of a relay are read as pages of the usual size")
    func smallPages() async throws {
        let history = EventHistory(
            transport: ShortPagesTransport(try await store(old: 500, new: 0), maximum: 7), filter: .init(since: Self.since))
        var count = 0
        var pages = 0
        while true {
            let page = try await history.page(.older(than: -count))
            guard !page.isEmpty else { break }
            count += page.items.count
            pages += 1
        }
        #expect(count == 500)
        #expect(pages < 10)
    }

    @Test("A page of which the oldest events are no longer there contains no newer ones")
    func shrunkPage() async throws {
        let transport = InMemoryTelemetryTransport()
        try await transport.append((0..<10).map { WatchedEvents.event($0) })
        let history = EventHistory(transport: transport)
        _ = try await history.newestEvents()
        try await transport.append((10..<15).map { WatchedEvents.event($0) })
        _ = try await transport.deleteEvents(matching: .init(query: try TelemetryQuery("sequence:<3")))
        let page = try await history.page(.around(5))
        #expect(page.items.map(\.identifier) == (3..<10).map(String.init))
        #expect(page.items.map(\.ordinal) == Array(3..<10))
        #expect(try await history.page(.older(than: 5)).items.map(\.identifier) == ["3", "4"])
    }

    @Test("Without the newest events, which could not be read, the view says so, and the selection reads them")
    func unread() async throws {
        let transport = InMemoryTelemetryTransport()
        try await transport.append((0..<3).map { WatchedEvents.event($0) })
        let history = EventHistory(transport: transport)
        await history.begin(before: try await transport.events(matching: .all, after: nil, limit: 5).cursor)
        var model = WatchedEvents.model([])
        _ = model.start([], hasMore: true)
        #expect(WatchedEvents.drawn(model).contains { $0.contains("The stored events were not read; ↑ reads them.") })
        try await press(.up, &model, history)
        #expect(model.texts == ["number 0", "number 1", "number 2"])
    }

    @Test("Gaps are found between pages")
    func gaps() {
        var window = EventWindow(copyOf: log([5, 6]), cursor: 0)
        let page = HistoryPage(range: -2..<0, events: [WatchedEvents.event(1), WatchedEvents.event(2)], isOldest: true)
        #expect(window.add(page) == 2)
        let counts = (window.log.first..<window.log.end).compactMap { number in
            if case .gap(let count, _, _) = window.log[number] { count } else { nil }
        }
        #expect(counts == [2])
        #expect(window.isOldest)
    }

    @Test(
        "A view begins with the newest events that it keeps; each older one is read once",
        arguments: [0, 1, 9_999, 10_000, 25_001], [0, 300])
    func newest(count: Int, old: Int) async throws {
        let transport = try await store(old: old, new: count)
        let history = EventHistory(transport: ShortHistoryTransport(transport, maximum: 1_500), filter: .init(since: Self.since))
        let newest = try await history.newestEvents()
        #expect(newest.events.map(\.eventId) == (max(0, count - 10_000)..<count).map(String.init))
        try await transport.append([WatchedEvents.event(count)])
        #expect(try await transport.events(matching: .all, after: newest.end, limit: 10).events.map(\.eventId) == ["\(count)"])
        var (ordinal, found) = (0, [String]())
        while true {
            let page = try await history.page(.older(than: ordinal))
            found = page.items.map(\.identifier) + found
            guard !page.isEmpty else {
                #expect(page.isOldest)
                break
            }
            #expect(page.range.upperBound == ordinal)
            ordinal = page.range.lowerBound
        }
        #expect(found == (-old..<count).map(String.init).dropLast(newest.events.count))
        // All of them can be read again, by what was recorded.
        var again: [String] = []
        while ordinal < newest.events.count {
            let page = try await history.page(.newer(from: ordinal))
            again += page.items.map(\.identifier)
            ordinal = page.range.upperBound
        }
        #expect(again == (-old..<count).map(String.init))
        #expect(await history.pageCount < 25)
    }

    private func log(_ numbers: [Int]) -> EventLog {
        var log = EventLog()
        for number in numbers { log.add(WatchedEvents.event(number)) }
        return log
    }
}

extension HistoryPage.Item {
    fileprivate var identifier: String { if case .event(let event) = entry { event.eventId } else { "–" } }
}
