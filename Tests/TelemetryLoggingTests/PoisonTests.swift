import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// A store that refuses some events, counts its appends, and may be full.
actor PickyTransport: TelemetryEventTransport {
    private let refuses: @Sendable ([TelemetryEvent]) -> TelemetryTransportError.Code?
    private(set) var stored: [String] = []
    private(set) var appends = 0
    private var capacity: Int

    init(capacity: Int = .max, refuses: @escaping @Sendable ([TelemetryEvent]) -> TelemetryTransportError.Code? = { _ in nil }) {
        self.refuses = refuses
        self.capacity = capacity
    }

    func grow(to capacity: Int) { self.capacity = capacity }

    func append(_ events: [TelemetryEvent]) async throws {
        appends += 1
        if let code = refuses(events) { throw TelemetryTransportError.test(code) }
        guard stored.count + events.count <= capacity else { throw TelemetryTransportError.test(.quotaExceeded) }
        stored += events.map(\.name)
    }

    func events(
        matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
    ) async throws -> TelemetryEventPage {
        TelemetryEventPage(events: [], cursor: TelemetryCursor(rawValue: ""), hasMore: false)
    }

    func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { stored.count }
    func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { 0 }
}

struct PoisonTests {
    func logger(_ transport: PickyTransport, logging count: Int) async -> TelemetryLogger {
        let logger = TelemetryLogger(transport: transport, clock: ManualClock(), jitter: { 0.5 })
        for number in 1...count { logger.logEvent(name: "\(number)") }
        await logger.activate(enabled: true)
        await logger.flush()
        return logger
    }

    @Test(
        "Events that a store can never take are dropped, counted and reported; the others arrive in order",
        arguments: [[1], [7], [50], [1, 2], [25, 26, 50], Array(1...50)],
        [TelemetryTransportError.Code.invalidArgument, .quotaExceeded])
    func poison(poisoned: [Int], code: TelemetryTransportError.Code) async throws {
        // A single event above a quota is dropped only if the event after it is accepted.
        if code == .quotaExceeded, poisoned != [1], poisoned != [7] { return }
        let names = Set(poisoned.map(String.init))
        let transport = PickyTransport { $0.contains { names.contains($0.name) } ? code : nil }
        let logger = await logger(transport, logging: 50)
        let expected = (1...50).map(String.init).filter { !names.contains($0) }
        #expect(await transport.stored == expected + ["telemetry.dropped"])
        #expect(logger.statistics.dropped == [.rejected: UInt64(poisoned.count)])
        #expect(logger.statistics.waiting == 0)
        #expect(await transport.appends <= poisoned.count * 14 + 2)
    }

    @Test("A full store loses no event: events wait until it has room, oldest first")
    func fullStore() async throws {
        let transport = PickyTransport(capacity: 20)
        let logger = await logger(transport, logging: 50)
        #expect(await transport.stored == (1...20).map(String.init))
        #expect(logger.statistics.dropped.isEmpty)
        #expect(logger.statistics.waiting == 30)
        await logger.flush()
        #expect(await transport.stored.count == 20)
        await transport.grow(to: 1_000)
        await logger.flush()
        #expect(await transport.stored == (1...50).map(String.init))
        #expect(logger.statistics.waiting == 0)
    }

    @Test("A single event that exceeds a quota waits for another one, which shows whether the store is full")
    func lonelySuspect() async throws {
        let transport = PickyTransport { $0.contains { $0.name == "1" } ? .quotaExceeded : nil }
        let logger = await logger(transport, logging: 1)
        #expect(logger.statistics.waiting == 1)
        logger.logEvent(name: "2")
        await logger.flush()
        #expect(await transport.stored == ["2", "telemetry.dropped"])
        #expect(logger.statistics.dropped == [.rejected: 1])
    }

    @Test("A store that refuses every event, including reports, does not get endless reports")
    func refusesAll() async throws {
        let transport = PickyTransport { _ in .invalidArgument }
        let logger = await logger(transport, logging: 3)
        #expect(logger.statistics.waiting == 0)
        await logger.flush()
        #expect(await transport.appends <= 8)
        #expect(logger.statistics.dropped[.rejected] == 4)
    }

    @Test("A failure while a batch is halved keeps the progress")
    func failsWhileHalving() async throws {
        let failing = Mutex(0)
        let transport = PickyTransport { events in
            if events.contains(where: { $0.name == "10" }) { return .invalidArgument }
            return failing.withLock { count in
                count += 1
                return count == 2 ? .unavailable : nil
            }
        }
        let logger = await logger(transport, logging: 20)
        await logger.flush()
        await logger.flush()
        #expect(await transport.stored == (1...20).filter { $0 != 10 }.map(String.init) + ["telemetry.dropped"])
    }
}
