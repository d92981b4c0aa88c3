import Foundation
import HTTPTypes
import HummingbirdTesting
import ServiceLifecycleTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct FollowingTests {
    private let clock = ManualClock()
    private var arrivals: DebugLogArrivals { DebugLogArrivals(clock: clock) }

    @Test("A waiting request returns when a matching entry arrives", arguments: StorageKind.allCases)
    func answered(kind: StorageKind) async throws {
        try await Bench.storage(kind) { storage in
            try await Bench.run(storage, arrivals: arrivals) { [clock] client in
                async let found = client.find("event=2&wait=30")
                await clock.sleepers()
                #expect(try await client.post(try Bench.body([Bench.entry(1)])).status == .ok)
                #expect(try await client.post(try Bench.body([Bench.entry(2), Bench.entry(3)])).status == .ok)
                let page = try await found
                #expect(page.entries.map(\.event) == ["2"])
                #expect(page.cursor == "3")
            }
        }
    }

    @Test(
        "A waiting request returns an entry that arrives at another relay within a second",
        arguments: StorageKind.allCases.filter { $0 != .memory })
    func otherRelay(kind: StorageKind) async throws {
        try await Bench.storage(kind) { storage in
            let (reads, read) = AsyncStream.makeStream(of: Void.self)
            let (arrivals, clock) = (arrivals, clock)
            var query = DebugLogQuery()
            query.wait = .seconds(30)
            let page = Task { [query] in try await arrivals.page(of: query, in: ObservedStorage(storage: storage, read: read)) }
            for await _ in reads.prefix(1) {}
            await clock.sleepers()
            // Without a notification, as another relay on the same database stores it.
            _ = try await storage.store([Bench.entry(1)])
            #expect(clock.timeToNextWake == .seconds(1))
            clock.advance(by: .seconds(1))
            #expect(try await page.value.entries.map(\.event) == ["1"])
            #expect(arrivals.waiting == 0)
        }
    }

    @Test("A request with existing matches does not wait; one that times out returns an empty page with a usable cursor")
    func timeIsOver() async throws {
        let arrivals = arrivals
        try await Bench.run(arrivals: arrivals) { [clock] client in
            #expect(try await client.post(try Bench.body([Bench.entry(1)])).status == .ok)
            #expect(try await client.find("wait=30").entries.map(\.event) == ["1"])
            #expect(clock.sleeperCount == 0)
            // A cursor that this relay never returned does not wait either.
            #expect(try await client.find("cursor=9&wait=30").newest == "1")
            async let found = client.find("cursor=1&wait=30")
            await clock.sleepers()
            #expect(clock.timeToNextWake == .seconds(30))
            clock.advance(by: .seconds(30))
            let page = try await found
            #expect(page.entries.isEmpty)
            #expect(page.cursor == "1")
            #expect(arrivals.waiting == 0)
        }
    }

    @Test("A waiting request returns when the relay shuts down or the request is cancelled")
    func stopped() async throws {
        let arrivals = arrivals
        var query = DebugLogQuery()
        query.wait = .seconds(30)
        let waiting = query
        let storage = try SQLiteDebugLogStorage(inMemory: .init())
        await testGracefulShutdown { trigger in
            async let page = arrivals.page(of: waiting, in: storage)
            await clock.sleepers()
            trigger.triggerGracefulShutdown()
            let answer = try? await page
            #expect(answer?.entries.isEmpty == true)
        }
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        let task = Task { try await arrivals.page(of: waiting, in: ObservedStorage(storage: storage, read: read)) }
        for await _ in reads.prefix(1) {}
        await clock.sleepers()
        task.cancel()
        #expect(try await task.value.entries.isEmpty)
        #expect(arrivals.waiting == 0)
    }

    @Test("A read that a cancellation interrupts ends the wait with an empty page")
    func interrupted() async throws {
        let arrivals = arrivals
        var query = DebugLogQuery()
        query.wait = .seconds(30)
        let (reads, read) = AsyncStream.makeStream(of: Void.self)
        let storage = ObservedStorage(
            storage: try SQLiteDebugLogStorage(inMemory: .init()), read: read, isInterruptedLater: true)
        let page = Task { [query] in try await arrivals.page(of: query, in: storage) }
        for await _ in reads.prefix(1) {}
        arrivals.announce()
        #expect(try await page.value.entries.isEmpty)
        #expect(arrivals.waiting == 0)
    }

    @Test("A waiting request for debug logs returns when its token is revoked")
    func revoked() async throws {
        let clock = clock
        try await RelayBench.run(.live, arrivals: arrivals) { relay async throws -> Void in
            let text = try await relay.token(.reader, name: "r")
            async let page = relay.get("/debug/logs?wait=60", as: .bearing(text))
            await clock.sleepers()
            try await RelayTokens(storage: relay.storage).revoke("r")
            #expect(try await page.status == .ok)
            #expect(try await relay.get("/debug/logs", as: .bearing(text)).status == .unauthorized)
        }
    }

    @Test("Waiting with order=desc is refused")
    func descending() async throws {
        try await Bench.run { client async throws -> Void in
            #expect(try await client.get("/debug/logs?order=desc&wait=1").status == .badRequest)
            #expect(try await client.get("/debug/logs?order=desc&wait=0").status == .ok)
        }
    }
}

/// Tells of each page that was read.
private struct ObservedStorage: DebugLogStorage {
    let storage: any DebugLogStorage
    let read: AsyncStream<Void>.Continuation
    /// Whether every read after the first is interrupted by a cancellation.
    var isInterruptedLater = false

    var isShared: Bool { storage.isShared }

    func store(_ entries: [DebugLog]) async throws -> Int { try await storage.store(entries) }

    func page(of query: DebugLogQuery) async throws -> DebugLogPage {
        defer { read.yield() }
        if isInterruptedLater, query.cursor != nil { throw CancellationError() }
        return try await storage.page(of: query)
    }

    func expire() async throws { try await storage.expire() }

    func usage() async throws -> DebugLogUsage { try await storage.usage() }
}
