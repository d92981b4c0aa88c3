import TelemetryLogging

/// Aligns the logger with the consent: its client, and whether it records.
///
/// The calls that change whether the logger records, and what waits in it, run one at a time, apart from the service's operations:
/// after an opt-out the logger is turned off while an operation waits for the transport. Turning it off may take as long as the
/// logger's deadline, so that these calls have a queue of their own.
@MainActor
final class LoggerGate {
    /// What the logger should do now. Read again before each call, because an opt-out may come between.
    struct Wanted {
        let gate: ConsentState.Gate
        let isPaused: Bool
    }

    let logger: any ControlledLogger
    var wanted: @MainActor () -> Wanted = { Wanted(gate: .held, isPaused: false) }
    private let queue: SerialQueue
    /// Nil until the logger is activated; until then it holds events.
    private var isOn: Bool?
    private var clientId: String?
    private var isPaused = false
    /// Whether the logger refuses events until it is turned off.
    private var isWithdrawn = false

    init(_ logger: any ControlledLogger, executor: (any TaskExecutor)?) {
        self.logger = logger
        queue = SerialQueue(executor: executor)
    }

    /// Stops recording and starting deliveries. Returns at once. The logger is turned off asynchronously.
    func withdraw() {
        logger.withdraw()
        isWithdrawn = true
        queue.enqueue { await self.alignNow() }
    }

    /// Returns when the logger does what it should.
    func align() async { await queue.perform { await self.alignNow() } }

    /// Discards the events that were not sent, by turning the logger off and on.
    func discardWaiting() async {
        await queue.perform {
            if self.isOn == true { await self.turnOff() }
            await self.alignNow()
        }
    }

    /// Makes a call after those before it.
    func inTurn<Value: Sendable>(_ call: @escaping @MainActor (any ControlledLogger) async -> Value) async -> Value {
        await queue.perform { await call(self.logger) }
    }

    private func alignNow() async {
        if wanted().isPaused { await setPaused(true) }
        if isWithdrawn { await turnOff() }
        switch wanted().gate {
        case .held: break
        case .closed(let client):
            if isOn == nil { await identify(client) }
            if isOn != false { await turnOff() }
            await identify(client)
        case .open(let client):
            // Every recorded event needs its client's identifier; otherwise it could not be deleted with the client.
            await identify(client)
            if isOn != true, wanted().gate == .open(client: client), !isWithdrawn { await turn(on: true) }
        }
        if !wanted().isPaused { await setPaused(false) }
    }

    private func turnOff() async {
        isWithdrawn = false
        await turn(on: false)
    }

    private func turn(on isOn: Bool) async {
        let isFirst = self.isOn == nil
        self.isOn = isOn
        if isFirst { await logger.activate(enabled: isOn) } else { await logger.setEnabled(isOn) }
    }

    private func identify(_ client: String?) async {
        guard clientId != client else { return }
        clientId = client
        await logger.setClientIdentifier(client)
    }

    private func setPaused(_ isPaused: Bool) async {
        guard self.isPaused != isPaused else { return }
        self.isPaused = isPaused
        await logger.setPaused(isPaused)
    }
}
