public import Foundation
import Synchronization
import TelemetryModels
public import TelemetryTransport

/// Records events on any thread at next to no cost, and delivers them in batches to a transport.
///
/// An event passes a gate that is read without a lock, is copied as bytes into a bounded buffer, and leaves it once the transport
/// has said that it is stored. Events are numbered per session from 1; their identifiers are the session's and that number, so
/// that sending one again is harmless, and a viewer sees by a missing number that something was lost. What was lost is counted
/// by cause in ``statistics`` and told in the stream by an event named `telemetry.dropped`.
///
/// An event that is lost after it got its number leaves a gap; one that was refused, or too large to keep, gets none. Events that
/// turning telemetry off discards give theirs back, unless the transport may have seen them: to a viewer they never were.
///
/// The logger's one task runs while telemetry is on. It does not keep the logger alive, but call ``shutdown()`` so that what
/// waits is delivered.
public actor TelemetryLogger: TelemetryLogging {
    /// The name of the event that tells of losses; its attributes are counts by cause.
    public static let droppedEventName = "telemetry.dropped"

    @usableFromInline nonisolated let gate: ScenarioGate
    @usableFromInline nonisolated let capture: EventCapture

    /// Consent was withdrawn, and the call that turns recording off has not begun yet.
    nonisolated let isWithdrawn = Atomic(false)
    /// Nil where nobody but the host decides.
    nonisolated let consent = Mutex<TelemetryConsentCheck?>(nil)

    let configuration: Configuration
    let transport: any TelemetryEventTransport
    let time: MonotonicTime
    let bootTime: @Sendable () -> BootTime
    let jitter: @Sendable () -> Double
    var phase = LoggerPhase.holding
    /// Whether nothing is recorded and sent although the logger may be on.
    var isPaused = false
    var operations = SerialOperations()
    var delivery: DeliveryState
    let flushes = FlushWaiters()
    var pump: Pump?
    var pumpCount: UInt64 = 0

    /// Creates a logger that holds what is logged until it is activated. Nothing is started, opened or sent before.
    /// - Parameters:
    ///   - configuration: How it batches, tries again and keeps what waits.
    ///   - transport: Where events go.
    ///   - clock: Measures intervals and waits.
    ///   - now: The time that events bear, and by which scenarios end; nil asks the system.
    ///   - jitter: A random number from 0 to below 1, drawn for each retry.
    public init(
        configuration: Configuration = .default, transport: any TelemetryEventTransport,
        clock: any Clock<Duration> = ContinuousClock(), now: (@Sendable () -> Date)? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        let configuration = configuration.clamped
        self.configuration = configuration
        self.transport = transport
        self.jitter = jitter
        time = MonotonicTime(clock: clock)
        bootTime = BootTime.clock(time)
        gate = ScenarioGate(isOpen: true) { now?().timeIntervalSinceReferenceDate ?? WallClock.secondsSinceReference }
        capture = EventCapture(configuration: configuration, now: now, bootTime: bootTime)
        delivery = DeliveryState(configuration: configuration)
    }

    deinit { pump?.task.cancel() }

    /// The session that events bear now: one from creation, or from activation after a shutdown, to the next shutdown or to the
    /// end of the lifecycle service's session.
    public nonisolated var currentSessionId: String { capture.currentSessionId }

    /// The calling thread, by the number that the system's own tools show.
    public nonisolated static func currentThreadId() -> String { CurrentThread.identifier }
}
