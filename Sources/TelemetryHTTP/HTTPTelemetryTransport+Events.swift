import Foundation
public import TelemetryModels
import TelemetrySystem
@_spi(Tooling) public import TelemetryTransport

extension HTTPTelemetryTransport {
    /// Stores events in the order given, in as many requests as the relay's limits need.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.invalidArgument` for a client identifier that is empty or too
    ///   long, or a date outside the years 1 to 9999; `.quotaExceeded` for a single event that is larger than the relay accepts.
    public func append(_ events: [TelemetryEvent]) async throws { try await append(TelemetryEventBatch(events)) }

    /// Stores the events of a logger in the order given, in as many requests as the relay's limits need. If the relay accepts lines,
    /// the events are not converted to `TelemetryEvent`s.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``, as the same method for an array of events does.
    public func append(_ batch: TelemetryEventBatch) async throws {
        let clients = try Self.clients(of: batch)
        var batch = batch
        var start = 0
        var most = client.limits.batchEvents
        // Why the relay refused the lines of a request.
        var refusal: TelemetryTransportError.Code?
        while start < batch.count {
            let isLines = client.acceptsLines && refusal == nil
            // Converted once.
            if !isLines, batch.encoded != nil { batch = TelemetryEventBatch(batch.events) }
            let part = batch[start..<start + min(most, batch.count - start)]
            let body = try isLines ? Self.lines(of: part, client.limits) : Self.json(of: part, client.limits)
            var request = RelayRequest(
                .post, "v1", "events", body: body.data, compresses: true, subject: .clients(clients))
            if isLines { request.contentType = RelayClient.linesType }
            do {
                let answer = try await client.send(request)
                // A proxy may respond with status 200 to any request.
                _ = try Self.count("stored", in: answer)
                // A single event can be too large only as lines.
                if let refusal, refusal != .quotaExceeded { client.refuseLines() }
                start += body.count
            } catch let error as TelemetryTransportError where error.code == .quotaExceeded && body.count > 1 {
                most = body.count / 2
                if (try? await client.adoptLimits()) == true { most = min(body.count, client.limits.batchEvents) }
            } catch let error as TelemetryTransportError where isLines && !error.isRetryable {
                refusal = error.code
            }
        }
    }

    /// As many events from the front as fit, at least one, as a body; and their number.
    private static func json(
        of batch: TelemetryEventBatch, _ limits: RequestLimits
    ) throws(TelemetryTransportError) -> (data: Data, count: Int) {
        var encoder = EventBatchEncoder()
        let encoded = try encoder.encode(batch.events[...], maximumBytes: limits.bodyBytes)
        return (encoded.body, encoded.count)
    }

    private static func lines(
        of batch: TelemetryEventBatch, _ limits: RequestLimits
    ) throws -> (data: Data, count: Int) {
        let encoded = try EventLines.encode(batch, maximumBytes: limits.bodyBytes)
        return (Data(encoded.lines), encoded.count)
    }

    private static func clients(of batch: TelemetryEventBatch) throws(TelemetryTransportError) -> Set<String> {
        guard let encoded = batch.encoded else { return try clients(of: batch.events) }
        guard let clientId = encoded.origin.clientId, encoded.count > 0 else { return [] }
        try TransportArguments.check(clientId: clientId)
        return [clientId]
    }

    private static func clients(of events: [TelemetryEvent]) throws(TelemetryTransportError) -> Set<String> {
        var clients: Set<String> = []
        var last: String?
        for event in events {
            guard let clientId = event.clientId, clientId != last else { continue }
            try TransportArguments.check(clientId: clientId)
            clients.insert(clientId)
            last = clientId
        }
        return clients
    }

    /// Reads events in the order in which the relay received them.
    ///
    /// A page has at most as many events as the relay returns at once, even if the limit is higher.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.invalidArgument` for a limit below 1 or a cursor of another
    ///   store.
    public func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        try await page(filter, after: try await position(cursor, subject(of: filter)), limit: limit)
    }

    /// Returns the number of stored events that match.
    public func countEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        let query = try EventQueryItems(filter)
        if query.matchesNothing { return 0 }
        return try Self.count(
            "count",
            in: try await client.send(.init(.get, "v1", "events", "count", query: query.items, subject: subject(of: filter))))
    }

    /// Removes every stored event that matches and returns their number.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        let query = try EventQueryItems(filter)
        if query.matchesNothing { return 0 }
        let items = query.items.isEmpty ? [(name: "all", value: "true")] : query.items
        return try Self.count(
            "deleted", in: try await client.send(.init(.delete, "v1", "events", query: items, subject: subject(of: filter))))
    }

    /// Returns a stream with an element whenever the relay has received events or the connection was interrupted.
    ///
    /// `eventStream` and `eventPages` do not need it: they wait at the relay for the events themselves.
    public func eventArrivals() -> AsyncStream<Void> { arrivalStream.stream() }

    static func count(_ name: StaticString, in body: Data) throws -> Int {
        var count: Int?
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                guard key.isIdentical(to: name) else { return scanner.skipValue() }
                var number = 0
                guard scanner.read(&number) else { return false }
                count = number
                return true
            }
        }
        guard isRead, let count else { throw RelayClient.unexpectedAnswer }
        return count
    }

    func subject(of filter: TelemetryEventFilter) -> RequestSubject {
        .clients(filter.clientId.map { [$0] } ?? [])
    }

    /// - Parameters:
    ///   - cursor: A position of the relay's: before the events of the page, or in descending order after them.
    ///   - subject: The clients whose data the request concerns; by default those of the filter.
    func page(
        _ filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int, isDescending: Bool = false,
        waitSeconds: Int? = nil, subject: RequestSubject? = nil
    ) async throws -> TelemetryEventPage {
        try TransportArguments.check(limit: limit)
        let subject = subject ?? self.subject(of: filter)
        var most = limit
        while true {
            let asked = min(most, client.limits.page)
            var request = RelayRequest(.get, "v1", "events", query: try EventQueryItems(filter).pageItems, subject: subject)
            if isDescending { request.query.append(("order", "desc")) }
            if let cursor { request.query.append(("after", cursor.rawValue)) }
            request.query.append(("limit", String(asked)))
            if let waitSeconds {
                let seconds = min(waitSeconds, client.limits.waitSeconds)
                request.query.append(("wait", String(seconds)))
                request.wait = .seconds(seconds)
            }
            do {
                let reply = try await client.reply(to: request, accepting: "\(RelayClient.linesType), application/json")
                if let page = TelemetryEventPage(reply) { return page }
                // A proxy may have removed the headers of a page of lines, and a later relay may write lines that are unknown here.
                guard reply.head.mediaType == RelayClient.linesType,
                    let page = TelemetryEventPage(relayBody: try await client.send(request))
                else { throw RelayClient.unexpectedAnswer }
                return page
            } catch let error as TelemetryTransportError where error.cause is HTTPOverflow && asked > 1 {
                most = asked / 2
            } catch let error as TelemetryTransportError where error.code == .invalidArgument {
                // The relay may be configured with smaller pages or shorter waits than the default.
                guard (try? await client.adoptLimits()) == true else { throw error }
            }
        }
    }
}

extension HTTPTelemetryTransport {
    /// How long a request waits at the relay: less than the common proxy timeout of a minute.
    private static let waitSeconds = 50

    /// Waits at the relay. While it cannot be reached, the request is retried with increasing delays.
    public func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage? {
        var schedule = ReconnectSchedule(
            minimum: configuration.minimumReconnectDelay, maximum: configuration.maximumReconnectDelay)
        var cursor: TelemetryCursor? = cursor
        while true {
            do {
                cursor = try await position(cursor, subject(of: filter))
                let page = try await page(filter, after: cursor, limit: limit, waitSeconds: Self.waitSeconds)
                schedule.reset()
                if !page.events.isEmpty || page.hasMore || page.skippedEventCount > 0 { return page }
                cursor = page.cursor
            } catch let error as TelemetryTransportError where error.isRetryable {
                let delay = schedule.next(retryAfter: error.retryAfter, random: configuration.random())
                try await configuration.clock.sleep(for: delay)
            }
        }
    }
}

/// Reads backwards.
///
/// A relay's cursor is the position of an event, and a page in either order excludes that event. The position before an event has
/// no cursor at the relay: it is this event's cursor with a prefix, and is looked up when a page forwards begins there.
extension HTTPTelemetryTransport {
    /// Not part of a relay's cursor, which has no spaces.
    private static let before = "before "

    /// Reads the newest events before a cursor.
    ///
    /// A page has at most as many events as the relay returns at once, even if the limit is higher.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.invalidArgument` for a limit below 1 or a cursor of another
    ///   store.
    public func events(
        matching filter: TelemetryEventFilter, before cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventHistoryPage {
        try TransportArguments.check(limit: limit)
        let (bound, end) = try await bounds(before: cursor, subject(of: filter))
        let page = try await page(filter, after: bound, limit: limit, isDescending: true)
        var events = Array(page.events.reversed())
        if bound == nil {
            // Events that arrived between the requests come after the end.
            let later = try await self.page(filter, after: end, limit: limit).events
            events.removeAll { event in later.contains { $0.eventId == event.eventId && $0.clientId == event.clientId } }
        }
        return TelemetryEventHistoryPage(
            events: events, start: page.hasMore ? TelemetryCursor(rawValue: Self.before + page.cursor.rawValue) : nil, end: end,
            hasMore: page.hasMore)
    }

    /// The relay's cursor at which a page backwards begins, nil for the newest event; and the position after that page.
    private func bounds(
        before cursor: TelemetryCursor?, _ subject: RequestSubject
    ) async throws -> (bound: TelemetryCursor?, end: TelemetryCursor) {
        guard let cursor else {
            return (nil, try await page(.all, after: nil, limit: 1, isDescending: true, subject: subject).cursor)
        }
        if let event = Self.event(after: cursor) { return (event, cursor) }
        // The event at the cursor is part of the page, so the page begins before the next one.
        let next = try await page(.all, after: cursor, limit: 1, subject: subject)
        return (next.events.isEmpty ? nil : next.cursor, cursor)
    }

    /// The cursor of the event that a position is directly before; nil for a relay's cursor.
    private static func event(after position: TelemetryCursor) -> TelemetryCursor? {
        guard position.rawValue.hasPrefix(before) else { return nil }
        return TelemetryCursor(rawValue: String(position.rawValue.dropFirst(before.count)))
    }

    /// The relay's cursor for a position; nil for the beginning of the store.
    func position(_ cursor: TelemetryCursor?, _ subject: RequestSubject) async throws -> TelemetryCursor? {
        guard let cursor, let event = Self.event(after: cursor) else { return cursor }
        let previous = try await page(.all, after: event, limit: 1, isDescending: true, subject: subject)
        return previous.events.isEmpty ? nil : previous.cursor
    }
}
