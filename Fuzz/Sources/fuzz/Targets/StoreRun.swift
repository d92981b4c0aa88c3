import Foundation
import TelemetryModels
import TelemetryTransport

/// Uses a store, damages it, and uses it again.
struct StoreRun {
    private let root: String
    private var input: ByteInput
    private var damage: StoreDamage
    private var isRetaining = true
    private var open: [FileTelemetryTransport] = []
    /// A follower's cursor from before the damage.
    private var cursor: TelemetryCursor?
    private var nextNumber = 100

    init(_ root: String, _ input: ByteInput) {
        self.root = root
        self.input = input
        damage = StoreDamage(root)
    }

    mutating func perform() async {
        let mode = input.byte()
        isRetaining = mode & 1 == 0
        if mode & 2 == 0, let transport = await transport() {
            if mode & 4 == 0 { _ = await read(transport, .all) }
            if mode & 8 == 0 { await append(to: transport) }
            let page = await attempt { try await transport.events(matching: .all, after: nil, limit: 10) }
            cursor = page?.cursor
        }
        for _ in 0..<(1 + input.number(below: 4)) { damage.apply(&input) }
        var steps = 0
        repeat {
            if input.number(below: 4) == 0 { open.removeAll() }
            guard let transport = await transport() else { return }
            await step(transport)
            steps += 1
        } while !input.isAtEnd && steps < 8
    }

    private mutating func step(_ transport: FileTelemetryTransport) async {
        let step = input.number(below: 7)
        trace("step \(step)")
        switch step {
        case 0: check(await read(transport, .all) ?? [])
        case 1:
            let client = StoreTemplate.clients[input.number(below: 2)]
            for event in await read(transport, .init(clientId: client)) ?? [] {
                require(event.clientId == client, "an event of \(event.clientId ?? "none") was read for \(client ?? "none")")
                checkOwner(event)
            }
        case 2: await append(to: transport)
        case 3:
            // Appends stored events again, as a logger does after a lost response.
            let client = StoreTemplate.clients[input.number(below: 3)]
            _ = await attempt { try await transport.append((0..<20).map { StoreTemplate.event($0, of: client) }) }
            check(await read(transport, .all) ?? [])
        case 4: await delete(transport)
        case 5: await follow(transport)
        default:
            _ = await attempt { try await transport.countEvents(matching: .all) }
            _ = await attempt { try await transport.records(matching: .init(recordType: "T")) }
            let record = TelemetryRecord(recordType: "T", recordID: .init(recordName: "two"))
            _ = await attempt { try await transport.save([record], policy: .overwrite) }
        }
    }

    private mutating func transport() async -> FileTelemetryTransport? {
        if let known = open.first { return known }
        let (root, isRetaining) = (root, isRetaining)
        guard let transport = await attempt({ try StoreTemplate.open(root, isRetaining: isRetaining) }) else { return nil }
        open.append(transport)
        return transport
    }

    /// Returns nil if the store fails with a `TelemetryTransportError`. Any other error is a violation.
    private func attempt<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
        do { return try await body() } catch is TelemetryTransportError { return nil } catch {
            violated("an error is not a TelemetryTransportError: \(error)")
        }
    }

    /// Reads all pages. Returns nil if a page cannot be read.
    private mutating func read(
        _ transport: FileTelemetryTransport, _ filter: TelemetryEventFilter, after start: TelemetryCursor? = nil
    ) async -> [TelemetryEvent]? {
        let limit = [7, 40, 500, 500][input.number(below: 4)]
        var events: [TelemetryEvent] = []
        var cursor = start
        for _ in 0..<2_000 {
            guard let page = await attempt({ try await transport.events(matching: filter, after: cursor, limit: limit) }) else {
                return nil
            }
            events += page.events
            require(page.events.count <= limit, "a page larger than its limit")
            cursor = page.cursor
            guard page.hasMore else { return events }
        }
        violated("reading does not end")
    }

    // MARK: Requirements

    /// Whether the event is undamaged: its text and identifier are equal.
    private func isWhole(_ event: TelemetryEvent) -> Bool { event.property1 == event.eventId }

    private func check(_ events: [TelemetryEvent]) {
        var seen: Set<String> = []
        for event in events {
            checkOwner(event)
            guard isWhole(event), !damage.isForged, !damage.isRepeating else { continue }
            require(seen.insert(event.eventId).inserted, "\(event.eventId) is read twice")
        }
    }

    private func checkOwner(_ event: TelemetryEvent) {
        guard isWhole(event), let owner = StoreTemplate.clients.first(where: { StoreTemplate.session(of: $0) == event.sessionId })
        else { return }
        guard event.eventId.contains(owner ?? "nobody") else { return }
        require(
            event.clientId == owner || !StoreTemplate.clients.contains(event.clientId),
            "\(event.eventId) is read for \(event.clientId ?? "no client")")
    }

    private mutating func append(to transport: FileTelemetryTransport) async {
        let client = StoreTemplate.clients[input.number(below: 3)]
        let events = (nextNumber..<nextNumber + 3).map { StoreTemplate.event($0, of: client) }
        nextNumber += 3
        guard await attempt({ try await transport.append(events) }) != nil, isRetaining, !damage.isForged else { return }
        guard let all = await read(transport, .all) else { return }
        check(all)
        let missing = Set(events.map(\.eventId)).subtracting(all.map(\.eventId))
        require(missing.isEmpty, "appended events cannot be read: \(missing.sorted())")
    }

    private mutating func delete(_ transport: FileTelemetryTransport) async {
        let client = input.number(below: 2) == 0 ? "alpha" : "beta"
        let names: Set<String>? = input.number(below: 3) == 0 ? nil : ["first"]
        let filter = TelemetryEventFilter(clientId: client, names: names)
        let before = await read(transport, .all)
        guard await attempt({ try await transport.deleteEvents(matching: filter) }) != nil else { return }
        guard let after = await read(transport, .all) else { return }
        check(after)
        require(!after.contains { filter.matches($0) && isWhole($0) }, "a deleted event is read")
        guard !damage.isForged, isRetaining else { return }
        let kept = Set(before?.filter { isWhole($0) && !filter.matches($0) }.map(\.eventId) ?? [])
        let lost = kept.subtracting(after.map(\.eventId))
        require(lost.isEmpty, "a deletion removed events that do not match: \(lost.sorted())")
    }

    private mutating func follow(_ transport: FileTelemetryTransport) async {
        guard let cursor, isRetaining, !damage.isForged, !damage.hasLostJournalEnd else { return }
        let client = StoreTemplate.clients[input.number(below: 3)]
        let events = (nextNumber..<nextNumber + 2).map { StoreTemplate.event($0, of: client) }
        nextNumber += 2
        guard await attempt({ try await transport.append(events) }) != nil else { return }
        guard let found = await read(transport, .all, after: cursor) else { return }
        check(found)
        let missing = Set(events.map(\.eventId)).subtracting(found.map(\.eventId))
        require(missing.isEmpty, "a follower does not receive appended events: \(missing.sorted())")
    }
}
