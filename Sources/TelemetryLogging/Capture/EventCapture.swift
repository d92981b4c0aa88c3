import Foundation
import Synchronization
public import TelemetryModels

/// Takes events from any thread and keeps them until the consumer has delivered them.
@usableFromInline
final class EventCapture: Sendable {
    let wakeUp = WakeSignal()
    private let state: Mutex<CaptureState>
    private let now: (@Sendable () -> Date)?
    private let limits: TextLimits
    private let process: (@Sendable (inout TelemetryEvent) -> Bool)?

    init(configuration: TelemetryLogger.Configuration, now: (@Sendable () -> Date)?) {
        self.now = now
        limits = TextLimits(nameBytes: configuration.maximumNameBytes, propertyBytes: configuration.maximumPropertyBytes)
        process = configuration.process
        state = Mutex(
            CaptureState(
                session: Session(id: EventIdentifier.randomPrefix()),
                store: SegmentStore(configuration: configuration)))
    }

    /// Seconds since 1 January 2001.
    @inline(__always)
    var secondsSinceReference: Double { now?().timeIntervalSinceReferenceDate ?? WallClock.secondsSinceReference }

    /// Keeps an event that the gate let through. Once it returns, the event is where events are kept, or counted as lost.
    @usableFromInline
    func record(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: String?, attributes: [String: TelemetryValue]
    ) {
        record(
            name: name, scenario: scenario, level: level, property1: property1, attributes: attributes, isOwn: false)
    }

    /// - Parameter isOwn: Whether the event is the logger's own, which the host's hook does not see.
    @inline(__always)
    func record(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: String?, attributes: [String: TelemetryValue],
        isOwn: Bool
    ) {
        var draft = EventDraft(
            name: name, scenario: scenario, level: level, property1: property1, attributes: attributes,
            secondsSinceReference: secondsSinceReference, thread: CurrentThread.number)
        if !isOwn, let process, !draft.pass(through: process, sessionId: currentSessionId) {
            state.withLock { $0.drop(1, for: .refused) }
            return
        }
        limits.apply(to: &draft)
        append(draft)
    }

    private func append(_ draft: borrowing EventDraft) {
        let shouldWake = withUnsafeTemporaryAllocation(byteCount: draft.maximumFrameBytes, alignment: 16) { buffer in
            guard let frame = buffer.baseAddress else { return false }
            let count = draft.writeBody(to: frame)
            let body = Frame.headerBytes - 1
            let checksum = Frame.checksum(of: frame + body, count: count - body)
            return state.withLock { state in
                guard state.isAccepting else { return false }
                return state.append(frame, count: count, bodyChecksum: checksum)
            }
        }
        if shouldWake { wakeUp.signal() }
    }

    /// The capture's state, for what is not in a hurry.
    func withState<Result: Sendable>(_ body: (inout CaptureState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    var currentSessionId: String { state.withLock(\.session.id) }

    var statistics: TelemetryLogger.Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = UInt64(state.waiting + state.leftInSpool)
            return statistics
        }
    }
}
