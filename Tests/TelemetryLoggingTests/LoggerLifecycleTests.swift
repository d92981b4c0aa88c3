import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import Testing

struct LoggerLifecycleTests {
    @Test("Ten thousand events are held before activation and delivered after it, in order, each once")
    func holds() async throws {
        let bench = Bench()
        for number in 1...10_000 {
            bench.logger.logEvent(name: "event \(number)", property1: "An ordinary property of some length")
        }
        await bench.logger.flush()
        #expect(bench.transport.calls.isEmpty)
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.sequence) == Array(1...10_000))
        #expect(stored.map(\.name) == (1...10_000).map { "event \($0)" })
        #expect(bench.logger.statistics.delivered == 10_000)
        #expect(bench.logger.statistics.waiting == 0)
        #expect(bench.appends.allSatisfy { $0.count <= TelemetryLogger.Configuration.maximumBatchSize })
    }

    @Test("Activating disabled discards held events, and makes no call of the transport")
    func activatesDisabled() async {
        let bench = Bench()
        bench.logger.logEvent(name: "held")
        await bench.logger.activate(enabled: false)
        bench.logger.logEvent(name: "refused")
        await bench.logger.flush()
        #expect(bench.transport.calls.isEmpty)
        #expect(bench.clock.sleeperCount == 0)
        #expect(bench.logger.statistics.dropped == [.disabled: 1])
        #expect(bench.logger.statistics.logged == 1)
    }

    @Test("Turning off discards and counts unsent events; after turning on again the sequence has no gap")
    func turnsOffAndOn() async throws {
        let bench = await Bench.active()
        bench.logger.logEvent(name: "sent")
        await bench.logger.flush()
        bench.logger.logEvent(name: "discarded")
        await bench.logger.setEnabled(false)
        bench.logger.logEvent(name: "refused")
        #expect(bench.logger.statistics.waiting == 0)
        #expect(bench.logger.statistics.dropped == [.disabled: 1])
        await bench.logger.setEnabled(true)
        bench.logger.logEvent(name: "sent again")
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["sent", "sent again"])
        #expect(try await bench.stored.map(\.sequence) == [1, 2])
    }

    @Test("Events are refused if the logger is turned off before activation, and held if it is turned on again")
    func togglesBeforeActivation() async throws {
        let bench = Bench()
        bench.logger.logEvent(name: "discarded")
        await bench.logger.setEnabled(false)
        bench.logger.logEvent(name: "refused")
        await bench.logger.setEnabled(true)
        bench.logger.logEvent(name: "held")
        #expect(bench.transport.calls.isEmpty)
        await bench.logger.activate(enabled: true)
        await bench.logger.flush()
        #expect(try await bench.storedNames == ["held"])
    }

    @Test("Turning off cancels an append in progress, and no other starts")
    func turnsOffDuringAppend() async throws {
        let bench = await Bench.active()
        bench.transport.hold(.append)
        bench.logger.logEvent(name: "under way")
        async let flushed: Void = bench.logger.flush()
        await bench.transport.held(.append)
        await bench.logger.setEnabled(false)
        await flushed
        bench.transport.release(.append)
        #expect(bench.transport.calls(of: .append).count == 1)
        #expect(try await bench.stored.isEmpty)
        await bench.logger.setEnabled(true)
        bench.logger.logEvent(name: "later")
        await bench.logger.flush()
        // The sequence of the event in progress is not used again: the transport may have stored it.
        #expect(try await bench.stored.map(\.sequence) == [2])
    }

    @Test("A transport that never returns delays turning off only until the deadline")
    func turnsOffDespiteHangingTransport() async {
        let transport = StubbornTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(configuration: .init(shutdownDeadline: 5), transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "stuck")
        async let flushed: Void = logger.flush()
        await transport.entered.wait()
        async let off: Void = logger.setEnabled(false)
        await clock.sleepers()
        clock.advance(by: .seconds(5))
        await off
        await flushed
        #expect(logger.statistics.waiting == 0)
        transport.release()
    }

    @Test("Shutdown delivers waiting events and refuses later ones; activation begins a new session at number 1")
    func shutsDown() async throws {
        let bench = await Bench.active()
        let first = bench.logger.currentSessionId
        bench.logger.logEvent(name: "last")
        await bench.logger.shutdown()
        #expect(try await bench.storedNames == ["last"])
        bench.logger.logEvent(name: "refused")
        await bench.logger.setEnabled(true)
        bench.logger.logEvent(name: "refused too")
        await bench.logger.flush()
        await bench.logger.activate(enabled: true)
        let second = bench.logger.currentSessionId
        #expect(first != second)
        bench.logger.logEvent(name: "anew")
        await bench.logger.flush()
        let stored = try await bench.stored
        #expect(stored.map(\.name) == ["last", "anew"])
        #expect(stored.map(\.sessionId) == [first, second])
        #expect(stored.map(\.sequence) == [1, 1])
        #expect(stored.map(\.eventId) == ["\(first)-1", "\(second)-1"])
    }

    @Test("Turning on after a shutdown has no effect and is reported")
    func turnsOnAfterShutdown() async {
        let bench = await Bench.active()
        await bench.logger.shutdown()
        await bench.logger.setEnabled(false)
        #expect(bench.diagnostics.kinds.isEmpty)
        await bench.logger.setEnabled(true)
        bench.logger.logEvent(name: "refused")
        #expect(bench.logger.statistics.logged == 0)
        #expect(bench.diagnostics.kinds == [.unexpectedInput])
    }

    @Test("Shutdown ends at its deadline if the transport hangs; waiting events are kept and sent with their own session")
    func shutdownDeadline() async throws {
        let bench = await Bench.active(.init(shutdownDeadline: 5))
        let first = bench.logger.currentSessionId
        bench.transport.hold(.append)
        bench.logger.logEvent(name: "kept")
        async let shutdown: Void = bench.logger.shutdown()
        await bench.transport.held(.append)
        await bench.clock.sleepers()
        bench.clock.advance(by: .seconds(5))
        await shutdown
        #expect(bench.logger.statistics.waiting == 1)
        bench.transport.release(.append)
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "new")
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.name) == ["kept", "new"])
        #expect(try await bench.stored.map(\.sessionId) == [first, bench.logger.currentSessionId])
    }

    @Test("Shutdown, flush and turning off return at once before activation", arguments: 1...4)
    func idleCalls(order: Int) async {
        let bench = Bench()
        if order & 1 == 0 { await bench.logger.shutdown() }
        await bench.logger.flush()
        if order & 2 == 0 { await bench.logger.setEnabled(false) }
        await bench.logger.shutdown()
        await bench.logger.shutdown()
        await bench.logger.flush()
        #expect(bench.transport.calls.isEmpty)
        #expect(bench.clock.sleeperCount == 0)
    }

    @Test("Held and later events get the client's identifier; a changed identifier applies to later events")
    func stampsClient() async throws {
        let bench = Bench()
        bench.logger.logEvent(name: "before")
        await bench.logger.setClientIdentifier("first")
        bench.logger.logEvent(name: "between")
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "after")
        await bench.logger.setClientIdentifier("second")
        bench.logger.logEvent(name: "changed")
        await bench.logger.setClientIdentifier(nil)
        bench.logger.logEvent(name: "nobody's")
        await bench.logger.flush()
        bench.logger.logEvent(name: "nobody's still")
        await bench.logger.setClientIdentifier("second")
        bench.logger.logEvent(name: "changed back")
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.clientId) == ["first", "first", "first", "second", nil, nil, "second"])
    }

    @Test("Events held by a logger that was shut down before its activation get the client's identifier too")
    func stampsAfterShutdown() async throws {
        let bench = Bench()
        bench.logger.logEvent(name: "held")
        await bench.logger.shutdown()
        await bench.logger.setClientIdentifier("client")
        await bench.logger.activate(enabled: true)
        bench.logger.logEvent(name: "new")
        await bench.logger.flush()
        #expect(try await bench.stored.map(\.clientId) == ["client", "client"])
    }

    @Test("Of overlapping switches the last call decides")
    func overlappingSwitches() async {
        let transport = StubbornTransport()
        let clock = ManualClock()
        let logger = TelemetryLogger(configuration: .init(shutdownDeadline: 5), transport: transport, clock: clock)
        await logger.activate(enabled: true)
        logger.logEvent(name: "under way")
        async let flushed: Void = logger.flush()
        await transport.entered.wait()
        async let off: Void = logger.setEnabled(false)
        await clock.sleepers()
        async let on: Void = logger.setEnabled(true)
        clock.advance(by: .seconds(5))
        await off
        await on
        await flushed
        logger.logEvent(name: "on")
        #expect(logger.statistics.logged == 2)
        transport.release()
    }

    @Test("A released logger ends, even while its task waits; its spooled events are left for the next one")
    func isForgotten() async throws {
        let directory = TemporaryDirectory()
        let clock = ManualClock()
        weak var forgotten: TelemetryLogger?
        do {
            let logger = TelemetryLogger(
                configuration: .init(spoolDirectory: directory.url), transport: MockTelemetryTransport(), clock: clock)
            forgotten = logger
            await logger.setClientIdentifier(TelemetryFixtures.clientId)
            await logger.activate(enabled: true)
            logger.logEvent(name: "event")
            await clock.sleepers()
        }
        #expect(forgotten == nil)
        let next = await Bench.active(.init(spoolDirectory: directory.url))
        await next.logger.flush()
        #expect(try await next.storedNames == ["event"])
    }
}
