import Foundation
import TelemetryLogging
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

/// Random sequences of everything that can happen to a logger, compared with a simple model.
///
/// A failure names its seed. `TELEMETRY_SEED=<seed>` replays that sequence alone; `TELEMETRY_ROUNDS` sets the number of random
/// sequences.
struct ModelTests {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["TELEMETRY_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["TELEMETRY_ROUNDS"].flatMap(Int.init) ?? 40
        return (0..<rounds).map { _ in UInt64.random(in: 0...999_999_999) }
    }()

    @Test("Every event that the model expects is delivered once, and in order per session", arguments: seeds)
    func agrees(seed: UInt64) async throws {
        var run = ModelRun(seed: seed)
        for _ in 0..<40 { try await run.step() }
        try await run.finish()
    }
}

private struct ModelRun {
    let seed: UInt64
    private var random: SeededGenerator
    private let store = InMemoryTelemetryTransport()
    private let clock = ManualClock()
    private var directory = TemporaryDirectory()
    private var line: ModelLine
    private var logger: TelemetryLogger
    private var trace: [String] = []

    private enum Phase { case holding, refusing, on, off, shutDown }
    private var phase = Phase.holding
    private var states: [String: Bool] = [:]
    private var client: String?
    /// The names of events that must arrive and that may, and their client. An event before any client may be any client's.
    private var expected: [String: String?] = [:]
    private var possible: Set<String> = []
    private var held: Set<String> = []
    /// The events that a dead session may have left in the spool, and their client.
    private var left: [String: String?] = [:]
    private var count = 0

    private static let scenarios = ["A", "Caf\u{E9}", "Cafe\u{301}", "C"]

    init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        line = ModelLine(store: store)
        logger = Self.logger(in: directory, line: line, clock: clock)
    }

    private static func logger(in directory: TemporaryDirectory, line: ModelLine, clock: ManualClock) -> TelemetryLogger {
        TelemetryLogger(
            configuration: .init(batchSize: 5, spoolDirectory: directory.url, spool: .init(maximumBytes: 1 << 20)),
            transport: line, clock: clock, now: { TelemetryFixtures.date }, jitter: { 0.5 })
    }

    mutating func step() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: await log()
        case 8, 9: await flush()
        case 10: clock.advance(by: .seconds(Int.random(in: 1...40, using: &random)))
        case 11, 12: await changeStates()
        case 13: await changeClient()
        case 14, 15: line.set(ModelLine.Mood.allCases.dropLast().randomElement(using: &random) ?? .well)
        case 16: await activate(Int.random(in: 0..<4, using: &random) > 0)
        case 17: await setEnabled(Bool.random(using: &random))
        case 18: await restart()
        default: try await crash()
        }
    }

    /// Bursts from several threads at once, some with scenarios.
    private mutating func log() async {
        let isAccepting = phase == .holding || phase == .on
        var bursts: [[(name: String, scenario: String?)]] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            bursts.append(
                (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    count += 1
                    return ("\(count)", Bool.random(using: &random) ? Self.scenarios.randomElement(using: &random) : nil)
                })
        }
        trace.append("log \(bursts.map(\.count))")
        for event in bursts.joined() where isAccepting && (event.scenario.map { states[$0] == true } ?? true) {
            expected[event.name] = .some(client)
            if phase == .holding, client == nil { held.insert(event.name) }
        }
        let logger = logger
        await withTaskGroup(of: Void.self) { group in
            for burst in bursts {
                group.addTask {
                    for event in burst {
                        if let scenario = event.scenario {
                            logger.logEvent(name: event.name, scenario: scenario)
                        } else {
                            logger.logEvent(name: event.name)
                        }
                    }
                }
            }
        }
    }

    private mutating func flush() async {
        trace.append("flush")
        await logger.flush()
    }

    private mutating func changeStates() async {
        states = [:]
        for scenario in Self.scenarios where Bool.random(using: &random) { states[scenario] = Bool.random(using: &random) }
        trace.append("states \(states)")
        await logger.updateScenarioStates(states)
    }

    private mutating func changeClient() async {
        client = ["first", "second", nil].randomElement(using: &random) ?? nil
        trace.append("client \(client ?? "nil")")
        await logger.setClientIdentifier(client)
        if phase == .on { adopt() }
    }

    private mutating func discard(withSpool: Bool = true) {
        possible.formUnion(expected.keys)
        expected = [:]
        held = []
        if withSpool { left = [:] }
    }

    /// The session ends; its undelivered events wait for a logger of their client.
    private mutating func leave() {
        possible.formUnion(expected.keys)
        left.merge(expected) { $1 }
        expected = [:]
    }

    /// Spooled events of the current client must arrive. Without a client, files without one may be taken over.
    private mutating func adopt() {
        guard let client else { return left = left.filter { $0.value != nil } }
        for (name, owner) in left where owner == client { expected[name] = .some(client) }
        left = [:]
    }

    private mutating func activate(_ isEnabled: Bool) async {
        trace.append("activate \(isEnabled)")
        await logger.activate(enabled: isEnabled)
        if isEnabled {
            for name in held { expected[name] = .some(client) }
            held = []
            if phase != .on { adopt() }
            phase = .on
        } else {
            discard()
            phase = .off
        }
    }

    private mutating func setEnabled(_ isEnabled: Bool) async {
        trace.append("setEnabled \(isEnabled)")
        await logger.setEnabled(isEnabled)
        switch (phase, isEnabled) {
        case (.holding, false):
            discard()
            phase = .refusing
        case (.refusing, true): phase = .holding
        case (.on, false):
            discard()
            phase = .off
        case (.off, true):
            adopt()
            phase = .on
        default: break
        }
    }

    /// A shutdown, followed by the same logger or a new one.
    private mutating func restart() async {
        trace.append("restart")
        let wasOn = phase == .on
        await logger.shutdown()
        if wasOn { leave() } else if phase == .holding { discard(withSpool: false) }
        if Bool.random(using: &random) {
            logger = Self.logger(in: directory, line: line, clock: clock)
            await logger.updateScenarioStates(states)
            await logger.setClientIdentifier(client)
            phase = .holding
        } else {
            phase = .shutDown
        }
    }

    /// The process dies: the next one finds only its files.
    private mutating func crash() async throws {
        trace.append("crash")
        if phase == .on {
            directory = try directory.copy()
            leave()
        } else if phase == .holding {
            discard(withSpool: false)
        }
        line.set(.cut)
        line = ModelLine(store: store)
        logger = Self.logger(in: directory, line: line, clock: clock)
        await logger.updateScenarioStates(states)
        await logger.setClientIdentifier(client)
        phase = .holding
    }

    /// Delivers everything and compares.
    mutating func finish() async throws {
        line.set(.well)
        if phase != .on { await activate(true) }
        await flush()
        await flush()
        let context: Comment = "seed \(seed): \(trace.joined(separator: "; "))"
        let stored = try await store.events(matching: .all, after: nil, limit: .max).events
        let names = stored.map(\.name).filter { $0 != TelemetryLogger.droppedEventName }
        #expect(Set(names).count == names.count, context)
        #expect(Set(expected.keys).subtracting(names).sorted() == [], context)
        #expect(Set(names).subtracting(expected.keys).subtracting(possible).sorted() == [], context)
        for event in stored {
            if let client = expected[event.name] { #expect(event.clientId == client, context) }
        }
        for (session, events) in Dictionary(grouping: stored, by: \.sessionId) {
            let sequences = events.map(\.sequence)
            #expect(zip(sequences, sequences.dropFirst()).allSatisfy { $0 < $1 }, "\(session) out of order; \(context)")
        }
        #expect(logger.statistics.waiting == 0, context)
    }
}
