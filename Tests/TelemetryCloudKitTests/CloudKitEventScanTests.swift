import Foundation
import TelemetryCloudKit
import TelemetryModels
import TelemetryTransport
import Testing

struct CloudKitEventScanTests {
    private func position(_ received: Double, _ index: Int64 = 0, _ name: UInt64? = nil) -> CloudKitEventPosition {
        CloudKitEventPosition(received: received, index: index, name: name ?? UInt64(received * 1_000) + UInt64(index))
    }

    private func event(_ id: String, client: String = "c") -> TelemetryEvent {
        TelemetryEvent(eventId: id, clientId: client, sessionId: "s", name: "n")
    }

    private func page(
        _ arrivals: [(Double, Int64, String)], after cursor: TelemetryCursor? = nil, limit: Int = 100,
        filter: TelemetryEventFilter = .all, newest: Double? = nil
    ) throws -> TelemetryEventPage {
        var scan = try CloudKitEventScan(filter: filter, cursor: cursor, limit: limit)
        for (received, index, id) in arrivals { scan.add(at: position(received, index)) { event(id) } }
        return scan.page(isExhausted: true, newest: newest)
    }

    @Test("Events that arrived together are returned in the order in which they were appended")
    func order() throws {
        let page = try page([(1, 2, "c"), (1, 0, "a"), (1, 1, "b"), (2, 0, "d")])
        #expect(page.events.map(\.eventId) == ["a", "b", "c", "d"])
        #expect(!page.hasMore)
    }

    @Test("Scans of several queries are one page, in order of arrival, with each event once")
    func merging() throws {
        var all = try CloudKitEventScan(filter: .all, cursor: nil, limit: 3)
        for arrivals in [[(1, "a"), (4, "d")], [(2, "b"), (4, "d")], [(3, "c")]] as [[(Double, String)]] {
            var part = try CloudKitEventScan(filter: .all, cursor: nil, limit: 3)
            for (received, id) in arrivals { part.add(at: position(received)) { event(id) } }
            all.merge(part)
        }
        let page = all.page(isExhausted: true, newest: nil)
        #expect(page.events.map(\.eventId) == ["a", "b", "c"])
        #expect(page.hasMore)
    }

    @Test("Events of one append keep their order within a page, whatever their times, and no other event moves")
    func appendOrder() throws {
        let (one, other) = (CloudKitAppendIndex.newAppend(), CloudKitAppendIndex.newAppend())
        let arrivals: [(Double, Int64, String)] = [
            (1, CloudKitAppendIndex.index(of: 2, in: one), "c"), (2, CloudKitAppendIndex.index(of: 0, in: other), "x"),
            (3, CloudKitAppendIndex.index(of: 0, in: one), "a"), (4, 5, "alone"),
            (5, CloudKitAppendIndex.index(of: 1, in: one), "b"), (6, 1, "also alone"),
            (7, CloudKitAppendIndex.index(of: 1, in: other), "y"),
        ]
        let page = try page(arrivals)
        #expect(page.events.map(\.eventId) == ["a", "x", "b", "alone", "c", "also alone", "y"])
        #expect(try self.page(arrivals, after: page.cursor).events.isEmpty)
    }

    @Test("An append's number and a position in it fit into a record's index")
    func appendIndex() {
        for _ in 0..<1_000 {
            let append = CloudKitAppendIndex.newAppend()
            for place in [0, 1, 399, 1 << 20 - 1, 1 << 21] {
                let index = CloudKitAppendIndex.index(of: place, in: append)
                #expect(index > 0)
                #expect(CloudKitAppendIndex.append(of: index) == append)
            }
            #expect(CloudKitAppendIndex.index(of: 1, in: append) < CloudKitAppendIndex.index(of: 2, in: append))
        }
        #expect(CloudKitAppendIndex.append(of: 399) == nil)
    }

    @Test("A full page leaves the remaining events to the next page")
    func paging() throws {
        let arrivals = (0..<5).map { (1.0, Int64($0), "e\($0)") }
        var (cursor, seen) = (TelemetryCursor?.none, [String]())
        for expected in [true, true, false] {
            let page = try page(arrivals, after: cursor, limit: 2)
            #expect(page.hasMore == expected)
            seen += page.events.map(\.eventId)
            cursor = page.cursor
        }
        #expect(seen == ["e0", "e1", "e2", "e3", "e4"])
    }

    @Test("A scan is complete only when all events with the last arrival time have been read")
    func completeness() throws {
        var scan = try CloudKitEventScan(filter: .all, cursor: nil, limit: 1)
        scan.add(at: position(1, 1)) { event("b") }
        scan.add(at: position(1, 2)) { event("c") }
        let isCompleteAtOnce = scan.isComplete()
        #expect(!isCompleteAtOnce)
        scan.add(at: position(1, 0)) { event("a") }
        scan.add(at: position(2)) { event("d") }
        let isCompleteThen = scan.isComplete()
        #expect(isCompleteThen)
        #expect(scan.page(isExhausted: false, newest: nil).events.map(\.eventId) == ["a"])
    }

    @Test("An event that the index returns late is returned once")
    func latecomer() throws {
        let first = try page([(100, 0, "a"), (110, 0, "c")])
        let second = try page([(100, 0, "a"), (105, 0, "b"), (110, 0, "c")], after: first.cursor)
        #expect(second.events.map(\.eventId) == ["b"])
        #expect(try page([(100, 0, "a"), (105, 0, "b"), (110, 0, "c")], after: second.cursor).events.isEmpty)
    }

    @Test("A scan after a cursor starts `lookBack` seconds before the cursor")
    func lookingBack() throws {
        let cursor = try page([(1_000, 0, "a")]).cursor
        let scan = try CloudKitEventScan(filter: .all, cursor: cursor, limit: 1)
        #expect(scan.earliest == Date(timeIntervalSinceReferenceDate: 1_000 - CloudKitEventScan.lookBack))
        #expect(try CloudKitEventScan(filter: .all, cursor: nil, limit: 1).earliest == nil)
    }

    @Test("A scan with another filter returns no event before the cursor")
    func otherFilter() throws {
        let first = try page([(100, 0, "a"), (110, 0, "b")])
        let arrivals = [(100.0, Int64(0), "a"), (105, 0, "late"), (110, 0, "b"), (120, 0, "c")]
        let filter = TelemetryEventFilter(clientId: "c")
        let second = try page(arrivals, after: first.cursor, filter: filter)
        #expect(second.events.map(\.eventId) == ["c"])
        #expect(try page(arrivals, after: second.cursor, filter: filter).events.isEmpty)
    }

    @Test("A filtered scan that reached the end moves its cursor past the events that do not match")
    func newest() throws {
        let filter = TelemetryEventFilter(clientId: "nobody")
        let cursor = try page([], filter: filter, newest: 200).cursor
        #expect(try page([(150, 0, "a"), (200, 0, "b"), (201, 0, "c")], after: cursor).events.map(\.eventId) == ["c"])
    }

    @Test("A cursor remembers a limited number of events, and no event is returned twice")
    func bound() throws {
        let count = CloudKitEventScan.maximumSeen + 100
        let arrivals = (0..<count).map { (100 + Double($0) / 1_000, Int64(0), "e\($0)") }
        let cursor = try page(arrivals, limit: count).cursor
        #expect(try CloudKitEventCursor(cursor).seen.count == CloudKitEventScan.maximumSeen)
        #expect(try page(arrivals, after: cursor, limit: count).events.isEmpty)
    }

    @Test("A cursor survives its text form")
    func text() throws {
        let cursor = CloudKitEventCursor(
            position: .init(received: 0.1, index: .max, name: .max), floor: .init(received: -5.5, index: 0, name: 0),
            filter: 7, seen: [1: 0.1, .max: -3])
        #expect(try CloudKitEventCursor(cursor.cursor) == cursor)
    }

    @Test(
        "A text that is not a cursor of this transport is refused",
        arguments: ["", "ck1", "ck1;;;;", "ck2;1.1.1;;1;", "ck1;1.1.1;x;1;", "ck1;1.1.1;;1;1", "12"])
    func foreign(text: String) {
        #expect(throws: TelemetryTransportError.self) { try CloudKitEventCursor(TelemetryCursor(rawValue: text)) }
    }
}
