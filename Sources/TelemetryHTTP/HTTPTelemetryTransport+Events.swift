import Foundation
public import TelemetryModels
import TelemetrySystem
public import TelemetryTransport

extension HTTPTelemetryTransport {
    /// Stores events in the order given, in as many requests as the relay's limits need.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.invalidArgument` for a client identifier that is empty or too
    ///   long, or a date outside the years 1 to 9999; `.quotaExceeded` for a single event that is larger than the relay accepts.
    public func append(_ events: [TelemetryEvent]) async throws {
        let clients = try Self.clients(of: events)
        var encoder = EventBatchEncoder()
        var rest = events[...]
        var most = client.limits.batchEvents
        while !rest.isEmpty {
            let batch = try encoder.encode(rest.prefix(most), maximumBytes: client.limits.bodyBytes)
            do {
                let answer = try await client.send(
                    .init(.post, "v1", "events", body: batch.body, compresses: true, subject: .clients(clients)))
                // A proxy may respond with status 200 to any request.
                guard Self.isReceipt(answer) else { throw RelayClient.unexpectedAnswer }
                rest = rest.dropFirst(batch.count)
            } catch let error as TelemetryTransportError where error.code == .quotaExceeded && batch.count > 1 {
                most = batch.count / 2
                if (try? await client.adoptLimits()) == true { most = min(batch.count, client.limits.batchEvents) }
            }
        }
    }

    private static func clients(of events: [TelemetryEvent]) throws(TelemetryTransportError) -> Set<String> {
        var clients: Set<String> = []
        var last: String?
        for event in events {
            guard let clientId = event.clientId, clientId != last else { continue }
            try NameRules.check(clientId: clientId)
            clients.insert(clientId)
            last = clientId
        }
        return clients
    }

    private static func isReceipt(_ body: Data) -> Bool {
        var stored: Int?
        let isRead = body.withScanner { scanner in
            scanner.readMembers { key, scanner in
                guard key.isIdentical(to: "stored") else { return scanner.skipValue() }
                var count = 0
                guard scanner.read(&count) else { return false }
                stored = count
                return true
            }
        }
        return isRead && stored != nil
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
        let query = EventQuery(filter)
        if query.matchesNothing { return 0 }
        return try Self.count(
            "count",
            in: try await client.send(.init(.get, "v1", "events", "count", query: query.items, subject: subject(of: filter))))
    }

    /// Removes every stored event that matches and returns their number.
    @discardableResult
    public func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int {
        let query = EventQuery(filter)
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
        try NameRules.check(limit: limit)
        let subject = subject ?? self.subject(of: filter)
        var most = limit
        while true {
            let asked = min(most, client.limits.page)
            var request = RelayRequest(.get, "v1", "events", query: EventQuery(filter).pageItems, subject: subject)
            if isDescending { request.query.append(("order", "desc")) }
            if let cursor { request.query.append(("after", cursor.rawValue)) }
            request.query.append(("limit", String(asked)))
            if let waitSeconds {
                let seconds = min(waitSeconds, client.limits.waitSeconds)
                request.query.append(("wait", String(seconds)))
                request.wait = .seconds(seconds)
            }
            do {
                guard let page = TelemetryEventPage(relayBody: try await client.send(request)) else {
                    throw RelayClient.unexpectedAnswer
                }
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

extension HTTPTelemetryTransport: TelemetryEventWaiting {
    /// How long a request waits at the relay: less than the common proxy timeout of a minute.
    private static let waitSeconds = 50

    /// Waits at the relay. While it cannot be reached, the request is retried with increasing delays.
    package func nextEvents(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor, limit: Int
    ) async throws -> TelemetryEventPage {
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
