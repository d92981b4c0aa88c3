import Foundation
import HTTPTypes
import HummingbirdTesting
import ServiceLifecycleTestKit
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct FollowingTests {
    private let clock = ManualClock()
    /// The number of the relay's services that sleep.
    private static let services = 2

    @Test("A waiting request returns when a matching entry arrives", arguments: StorageDriver.all)
    func answered(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            try await Bench.run(storage, clock: clock) { [clock] client in
                async let found = client.find("event=2&wait=30")
                await clock.sleepers(atLeast: Self.services + 1)
                #expect(try await client.post(try Bench.body([Bench.entry(1)])).status == .ok)
                #expect(try await client.post(try Bench.body([Bench.entry(2), Bench.entry(3)])).status == .ok)
                let page = try await found
                #expect(page.entries.map(\.event) == ["2"])
                #expect(page.cursor == "3")
            }
        }
    }

    @Test("A request with existing matches does not wait; one that times out returns an empty page with a usable cursor")
    func timeIsOver() async throws {
        try await Bench.run(clock: clock) { [clock] client in
            #expect(try await client.post(try Bench.body([Bench.entry(1)])).status == .ok)
            #expect(try await client.find("wait=30").entries.map(\.event) == ["1"])
            // A cursor that this relay never returned does not wait either.
            #expect(try await client.find("cursor=9&wait=30").newest == "1")
            async let found = client.find("cursor=1&wait=30")
            await clock.sleepers(atLeast: Self.services + 1)
            clock.advance(by: .seconds(30))
            let page = try await found
            #expect(page.entries.isEmpty)
            #expect(page.cursor == "1")
        }
    }

    @Test("A waiting request returns an empty page when the relay shuts down")
    func stopped() async throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let parts = RelayParts(configuration: .init(), storage: storage, clock: clock, logger: Bench.logger())
        let wait = PageWait(streams: parts.streams, clock: clock)
        let caller = RelayCaller(credential: .none, tokenName: nil, role: .viewer)
        let page = try await testGracefulShutdown { [clock] trigger in
            async let page = wait.page(within: .seconds(30), for: caller, hints: storage.debugLogs.hints) { page in
                page.entries.isEmpty
            } read: { _ in
                try await storage.debugLogs.page(of: DebugLogQuery())
            }
            await clock.sleepers()
            trigger.triggerGracefulShutdown()
            return try await page
        }
        #expect(page.entries.isEmpty)
    }

    @Test("A waiting request for debug logs returns when its token is revoked")
    func revoked() async throws {
        let (clock, time) = (clock, TestTime())
        try await RelayBench.run(.live, clock: clock, uptime: { time.uptime }) { relay async throws -> Void in
            let text = try await relay.token(.reader, name: "r")
            async let page = relay.get("/debug/logs?wait=60", as: .bearing(text))
            await clock.sleepers(atLeast: Self.services + 1)
            try await RelayTokens(storage: relay.storage.tokens).revoke("r")
            time.pass(1)
            clock.advance(by: StreamRegistry.interval)
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
