public import Foundation
import Synchronization
import TelemetryModels
public import TelemetryTransport

/// Records events on any thread at low cost, and delivers them in batches to a transport.
///
/// An event passes a gate that is read without a lock, and is copied to a bounded buffer. It is removed when the transport has
/// confirmed that it is stored. Events are numbered per session from 1; their identifiers consist of the session's identifier and
/// that number, so that an event may be sent twice, and a viewer detects lost events by missing numbers. Losses are counted by
/// cause in ``statistics`` and reported in the stream by an event named `telemetry.dropped`.
///
/// An event that is lost after it got its number leaves a gap. A refused or oversized event gets no number. When telemetry is
/// turned off, the numbers of discarded events are used again, unless the transport may have received the events.
///
/// The logger's task runs while telemetry is on. It does not keep the logger alive; call ``shutdown()`` to deliver waiting events.
public actor TelemetryLogger: TelemetryLogging {
    /// The name of the event that reports losses; its attributes are counts by cause.
    public static let droppedEventName = "telemetry.dropped"
    /// The name of the event that reports how many events of a scenario were not recorded because its budget was used up. Its
    /// attributes are `scenario`, `suppressed`, and `window` in seconds.
    public static let budgetEventName = "telemetry.budget"

    @usableFromInline nonisolated let gate: ScenarioGate
    @usableFromInline nonisolated let capture: EventCapture

    /// Whether consent was withdrawn and the call that turns recording off has not begun yet.
    nonisolated let isWithdrawn = Atomic(false)
    /// Nil if only the host decides about consent.
    nonisolated let consent = Mutex<TelemetryConsentCheck?>(nil)

    /// Called when the suspended scenarios change; nil if the logger has no budget.
    nonisolated let onSuspension = Mutex<(@Sendable ([String: Date]) async -> Void)?>(nil)

    /// What was delivered today.
    nonisolated let deliveries = Mutex(DailyDeliveries())

    let configuration: Configuration
    let transport: any TelemetryEventTransport
    /// The transport, if it takes events that are not converted.
    let batchTransport: (any TelemetryEventBatchTransport)?
    let time: MonotonicTime
    let bootTime: @Sendable () -> BootTime
    let jitter: @Sendable () -> Double
    var phase = LoggerPhase.holding
    /// Whether recording and delivery are paused.
    var isPaused = false
    var operations = SerialOperations()
    var delivery: DeliveryState
    let flushes = FlushWaiters()
    var recorder: RecorderFiles
    var pump: Pump?
    var pumpCount: UInt64 = 0
    var suspensionTask: Task<Void, Never>?
    var suspensionDeadlines = SuspensionDeadlines()

    /// Creates a logger that holds events until it is activated. It starts no task and opens no file before.
    /// - Parameters:
    ///   - configuration: The settings for batches, retries and waiting events.
    ///   - transport: The transport that receives the events.
    ///   - clock: The clock for intervals and waits.
    ///   - now: Returns the time for event timestamps and ends of scenarios; nil uses the system's wall clock.
    ///   - jitter: Returns a random number from 0 to below 1; called for each retry.
    public init(
        configuration: Configuration = .default, transport: any TelemetryEventTransport,
        clock: any Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        let configuration = configuration.clamped
        self.configuration = configuration
        self.transport = transport
        batchTransport = transport as? any TelemetryEventBatchTransport
        self.jitter = jitter
        time = MonotonicTime(clock: clock)
        bootTime = BootTime.clock(time)
        gate = ScenarioGate(isOpen: true) { now?().timeIntervalSinceReferenceDate ?? WallClock.secondsSinceReference }
        capture = EventCapture(configuration: configuration, budgets: gate.budgets, now: now, bootTime: bootTime)
        delivery = DeliveryState(configuration: configuration)
        recorder = RecorderFiles(configuration: configuration)
    }

    deinit {
        pump?.task.cancel()
        suspensionTask?.cancel()
    }

    /// The identifier of the current session. A session begins with creation, or activation after a shutdown, and ends with the
    /// next shutdown or the lifecycle service's session.
    public nonisolated var currentSessionId: String { capture.currentSessionId }

    /// The number of the calling thread, as the system's tools show it.
    public nonisolated static func currentThreadId() -> String { CurrentThread.identifier }
}
