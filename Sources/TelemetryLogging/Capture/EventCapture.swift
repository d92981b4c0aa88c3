import Foundation
import Synchronization
public import TelemetryModels

/// Accepts events on any thread and keeps them until the consumer has delivered them.
@usableFromInline
final class EventCapture: Sendable {
    let wakeUp = WakeSignal()
    /// Wakes the triggers' watch.
    let watchWakeUp = WakeSignal()
    let budgets: ScenarioBudgets
    private let state: TraceableMutex<CaptureState>
    private let now: (@Sendable () -> Date)?
    private let limits: TextLimits
    private let hasOwnTime: Bool
    private let hasHook: Bool
    private let process: (@Sendable (inout TelemetryEvent) -> Bool)?
    /// Nil if events are kept as they are.
    let redactor: Redactor?
    let diagnostics: TelemetryDiagnosticsHandler?

    init(
        configuration: TelemetryLogger.Configuration, budgets: ScenarioBudgets, now: (@Sendable () -> Date)?,
        bootTime: @escaping @Sendable () -> BootTime
    ) {
        self.budgets = budgets
        self.now = now
        hasOwnTime = now != nil
        redactor = Redactor(configuration.redaction, spoolDirectory: configuration.spoolDirectory)
        hasHook = configuration.process != nil
        limits = TextLimits(nameBytes: configuration.maximumNameBytes, propertyBytes: configuration.maximumPropertyBytes)
        process = configuration.process
        diagnostics = configuration.diagnostics
        state = TraceableMutex(
            CaptureState(
                session: Session(id: EventIdentifier.randomPrefix()),
                store: SegmentStore(configuration: configuration, bootTime: bootTime),
                recorder: FlightRecorder(maximumAge: configuration.recorder.maximumAge)))
    }

    /// Seconds since 1 January 2001.
    @inline(__always)
    var secondsSinceReference: Double {
        hasOwnTime ? now?().timeIntervalSinceReferenceDate ?? 0 : WallClock.secondsSinceReference
    }

    /// Records an event that the gate admitted. When it returns, the event is in a segment or counted as dropped, or it is in its
    /// scenario's ring. A spool's segment is in its file, unless another thread is still creating that file.
    @usableFromInline
    func record(
        _ admission: Admission, name: String, scenario: String?, level: TelemetryLogLevel, property1: String?,
        attributes: [String: TelemetryValue]
    ) {
        let event = CapturedEvent(
            name: name, scenario: scenario, level: level, property1: property1, attributes: attributes,
            secondsSinceReference: seconds(of: admission), thread: CurrentThread.number)
        if !recordOrdinary(event, with: attributes, as: admission) { recordSlowly(event, as: admission) }
    }

    /// As ``record(_:name:scenario:level:property1:attributes:)``, for attributes with different names that are not in a dictionary.
    @usableFromInline
    func record(
        _ admission: Admission, name: String, scenario: String, level: TelemetryLogLevel, property1: String?,
        listed attributes: [(key: String, value: TelemetryValue)]
    ) {
        var event = CapturedEvent(
            name: name, scenario: scenario, level: level, property1: property1, attributes: [:],
            secondsSinceReference: seconds(of: admission), thread: CurrentThread.number)
        if recordOrdinary(event, with: attributes, as: admission) { return }
        event.attributes = Dictionary(attributes) { _, last in last }
        recordSlowly(event, as: admission)
    }

    /// The time of an event.
    @inline(__always)
    private func seconds(of admission: Admission) -> Double {
        if admission.meter == nil { return secondsSinceReference }
        // A report of the previous period comes before the first event of the next one.
        if budgets.hasReports { recordBudgetReports() }
        return admission.seconds
    }

    /// Records an event that nothing changes, which is encoded directly from the caller's values. Returns false for any other.
    @inline(__always)
    private func recordOrdinary(
        _ event: borrowing CapturedEvent, with attributes: some Collection<(key: String, value: TelemetryValue)>,
        as admission: Admission
    ) -> Bool {
        let size = event.maximumFrameBytes(with: attributes)
        guard size <= Self.ordinaryBytes, !hasHook, limits.allow(ordinaryBytes: size) else { return false }
        if let redactor, redactor.changes(event, with: attributes) { return false }
        // The memory has room for `size` bytes.
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.ordinaryBytes, alignment: 16) { buffer in
            unsafe append(event, with: attributes, in: buffer, as: admission)
        }
        return true
    }

    private static let ordinaryBytes = 1_024

    /// Redacts the event, passes it to the hook, if there is one, truncates long strings, and appends the event.
    /// - Parameters:
    ///   - admission: The gate's permission.
    ///   - losses: The losses that the event reports, if it is the logger's own. Such an event is neither redacted nor passed to the hook.
    func recordSlowly(
        _ event: CapturedEvent, as admission: Admission = Admission(),
        reporting losses: [TelemetryLogger.DropCause: UInt64]? = nil
    ) {
        var draft = event
        if losses == nil { redactor?.apply(to: &draft) }
        if losses == nil, let process, !draft.pass(through: process, sessionId: currentSessionId) {
            state.withLock { $0.drop(1, for: .refused) }
            return
        }
        limits.apply(to: &draft)
        // The memory has room for the largest encoding of the event.
        unsafe withUnsafeTemporaryAllocation(byteCount: draft.maximumFrameBytes, alignment: 16) { buffer in
            unsafe append(draft, with: draft.attributes, in: buffer, as: admission, reporting: losses)
        }
    }

    /// Appends an event of the logger's own to the state, whose lock the caller holds.
    /// - Returns: Whether the consumer must be woken, and files created.
    func append(_ event: CapturedEvent, to state: inout CaptureState) -> Bool {
        var draft = event
        limits.apply(to: &draft)
        // The memory has room for the largest encoding of the event, which is copied before the memory is deallocated.
        return unsafe withUnsafeTemporaryAllocation(byteCount: draft.maximumFrameBytes, alignment: 16) { buffer in
            state.append(unsafe FrameEncoding.encode(draft, in: buffer))
        }
    }

    /// - Parameter buffer: Memory with room for the frame.
    @inline(__always)
    private func append(
        _ event: borrowing CapturedEvent, with attributes: some Collection<(key: String, value: TelemetryValue)>,
        in buffer: UnsafeMutableRawBufferPointer, as admission: Admission,
        reporting losses: [TelemetryLogger.DropCause: UInt64]? = nil
    ) {
        // The caller provides the room. The frame is copied before the memory is deallocated.
        let frame = unsafe FrameEncoding.encode(event, with: attributes, in: buffer)
        let seconds = event.secondsSinceReference
        let shouldWake = state.withLock { state in
            guard state.isAccepting else { return false }
            if admission.isKept {
                return state.keep(frame, in: admission.ring, seconds: seconds)
            }
            let shouldWake = state.append(frame)
            if let losses, !losses.isEmpty { state.reportedDrops.note(losses, sequence: state.nextSequence &- 1) }
            return shouldWake
        }
        if let meter = admission.meter { budgets.charge(meter, bytes: frame.count) }
        if shouldWake { wake() }
    }

    /// Wakes the consumer and the triggers' watch, and creates files.
    @inline(never)
    func wake() {
        wakeUp.signal()
        watchWakeUp.signal()
        createFiles()
    }

    /// Calls the body with the state; for calls outside the fast path.
    func withState<Result: Sendable>(_ body: (inout CaptureState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    var currentSessionId: String { state.withLock(\.session.id) }

    var statistics: TelemetryLogger.Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.logged = state.logged
            statistics.waiting = UInt64(state.waiting + state.leftInSpool)
            return statistics
        }
    }
}
