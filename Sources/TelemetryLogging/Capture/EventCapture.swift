import Foundation
import Synchronization
public import TelemetryModels

/// Takes events from any thread and keeps them until the consumer has delivered them.
@usableFromInline
final class EventCapture: Sendable {
    let wakeUp = WakeSignal()
    private let state: TraceableMutex<CaptureState>
    private let now: (@Sendable () -> Date)?
    private let limits: TextLimits
    private let hasOwnTime: Bool
    private let hasHook: Bool
    private let process: (@Sendable (inout TelemetryEvent) -> Bool)?
    private let diagnostics: TelemetryDiagnosticsHandler?

    init(
        configuration: TelemetryLogger.Configuration, now: (@Sendable () -> Date)?, bootTime: @escaping @Sendable () -> BootTime
    ) {
        self.now = now
        hasOwnTime = now != nil
        hasHook = configuration.process != nil
        limits = TextLimits(nameBytes: configuration.maximumNameBytes, propertyBytes: configuration.maximumPropertyBytes)
        process = configuration.process
        diagnostics = configuration.diagnostics
        state = TraceableMutex(
            CaptureState(
                session: Session(id: EventIdentifier.randomPrefix()),
                store: SegmentStore(configuration: configuration, bootTime: bootTime)))
    }

    /// Seconds since 1 January 2001.
    @inline(__always)
    var secondsSinceReference: Double {
        hasOwnTime ? now?().timeIntervalSinceReferenceDate ?? 0 : WallClock.secondsSinceReference
    }

    /// Keeps an event that the gate let through. Once it returns, the event is where events are kept, or counted as lost.
    @usableFromInline
    func record(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: String?, attributes: [String: TelemetryValue]
    ) {
        let seconds = secondsSinceReference
        let thread = CurrentThread.number
        let size = FrameEncoding.maximumBytes(name: name, scenario: scenario, property1: property1)
        // What needs no second look is written straight from the caller's values.
        if size <= Self.ordinaryBytes, attributes.isEmpty, !hasHook, limits.allow(ordinaryBytes: size) {
            withUnsafeTemporaryAllocation(byteCount: Self.ordinaryBytes, alignment: 16) { buffer in
                keep(
                    buffer, name: name, scenario: scenario, level: level, property1: property1, attributes: attributes,
                    secondsSinceReference: seconds, thread: thread)
            }
        } else {
            recordSlowly(
                CapturedEvent(
                    name: name, scenario: scenario, level: level, property1: property1, attributes: attributes,
                    secondsSinceReference: seconds, thread: thread))
        }
    }

    private static let ordinaryBytes = 512

    /// Shows the event to the hook, if there is one, cuts what is too long, and keeps it.
    /// - Parameter losses: What the event tells of, where it is the logger's own.
    func recordSlowly(_ event: CapturedEvent, reporting losses: [TelemetryLogger.DropCause: UInt64]? = nil) {
        var draft = event
        if losses == nil, let process, !draft.pass(through: process, sessionId: currentSessionId) {
            state.withLock { $0.drop(1, for: .refused) }
            return
        }
        limits.apply(to: &draft)
        withUnsafeTemporaryAllocation(byteCount: draft.maximumFrameBytes, alignment: 16) { buffer in
            keep(
                buffer, name: draft.name, scenario: draft.scenario, level: draft.level, property1: draft.property1,
                attributes: draft.attributes, secondsSinceReference: draft.secondsSinceReference, thread: draft.thread,
                reporting: losses)
        }
    }

    /// - Parameter buffer: Memory that is large enough for the frame.
    @inline(__always)
    private func keep(
        _ buffer: UnsafeMutableRawBufferPointer, name: String, scenario: String?, level: TelemetryLogLevel,
        property1: String?, attributes: [String: TelemetryValue], secondsSinceReference: Double, thread: UInt64,
        reporting losses: [TelemetryLogger.DropCause: UInt64]? = nil
    ) {
        let frame = buffer.baseAddress.unsafelyUnwrapped
        let count = FrameEncoding.writeEvent(
            to: frame, name: name, scenario: scenario, level: level, property1: property1, attributes: attributes,
            secondsSinceReference: secondsSinceReference, thread: thread)
        let body = Frame.headerBytes
        let checksum = Frame.checksum(of: frame + body, count: count &- body)
        let shouldWake = state.withLock { state in
            guard state.isAccepting else { return false }
            let shouldWake = state.append(frame, count: count, bodyChecksum: checksum)
            if let losses { state.reportedDrops.note(losses, sequence: state.nextSequence &- 1) }
            return shouldWake
        }
        if shouldWake {
            wakeUp.signal()
            reportFailure()
        }
    }

    /// Tells, outside the lock, that memory has to do where a file was wanted.
    func reportFailure() {
        if let failure = state.withLock({ $0.store.takeFailure() }) { diagnostics?(failure) }
    }

    /// The capture's state, for what is not in a hurry.
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
