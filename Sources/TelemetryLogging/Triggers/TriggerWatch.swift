import Foundation
import TelemetryModels

/// Reads the events that were recorded or kept, and finds what triggers demand because of them.
///
/// A task reads them soon after they were logged, and the delivery before they leave. Its state belongs to the logger's actor. Without
/// triggers there is no task, and events are not read.
final class TriggerWatch {
    /// The time between two readings, so that many events do not cause as many.
    static let rest = Duration.milliseconds(250)
    /// How many bytes are copied under the capture's lock at a time.
    private static let copyBytes = 64 << 10
    /// How many copies one reading makes, so that the logger's actor is free in between. Together they are larger than a segment.
    private static let copies = 16

    /// What a reading found.
    enum Reading: Sendable {
        /// No event; the next one wakes the task.
        case none
        case all
        /// As many events as one reading takes, and there may be more.
        case part
    }

    private let capture: EventCapture
    private let clock: any Clock<Duration>
    private let diagnostics: TelemetryDiagnosticsHandler?
    private var evaluator = TriggerEvaluator()
    private var onFiring: @Sendable (TriggerFiring) -> Void = { _ in }
    private var task: Task<Void, Never>?

    init(capture: EventCapture, clock: any Clock<Duration>, diagnostics: TelemetryDiagnosticsHandler?) {
        self.capture = capture
        self.clock = clock
        self.diagnostics = diagnostics
    }

    deinit { task?.cancel() }

    /// Replaces the triggers, which read the events from now on.
    func set(_ triggers: [EventTrigger], onFiring: @escaping @Sendable (TriggerFiring) -> Void) {
        read()
        let wasEmpty = evaluator.isEmpty
        evaluator.set(triggers)
        self.onFiring = onFiring
        if evaluator.isEmpty {
            end()
            capture.withState { $0.endWatching() }
        } else if wasEmpty {
            capture.withState { $0.beginWatching() }
        }
    }

    /// Starts the task if there are triggers, unless it runs.
    /// - Parameter next: Calls ``read()``; nil if the logger is gone.
    func start(_ next: @escaping @Sendable () async -> Reading?) {
        guard task == nil, !evaluator.isEmpty else { return }
        let signal = capture.watchWakeUp
        let clock = clock
        task = Task {
            while !Task.isCancelled, let reading = await next() {
                switch reading {
                case .none: await signal.wait()
                case .all: try? await clock.sleep(for: TriggerWatch.rest)
                case .part: await Task.yield()
                }
            }
        }
    }

    func end() {
        task?.cancel()
        task = nil
    }

    /// Reads events that were not read yet: all that wait for delivery next, and at most as many bytes as ``copies`` allows.
    @discardableResult
    func read() -> Reading {
        guard !evaluator.isEmpty else { return .none }
        let now = Date(timeIntervalSinceReferenceDate: capture.secondsSinceReference)
        var reading = Reading.none
        var missed: UInt64 = 0
        for _ in 0..<Self.copies {
            let (events, clientId, sessionId) = capture.withState {
                ($0.takeUnread(limit: Self.copyBytes), $0.clientId, $0.session.id)
            }
            guard let events else {
                report(missed)
                return reading
            }
            reading = .all
            missed += events.missed
            for firing in evaluator.evaluate(events, clientId: clientId, sessionId: sessionId, now: now) { onFiring(firing) }
        }
        report(missed)
        return .part
    }

    private func report(_ missed: UInt64) {
        guard missed > 0 else { return }
        diagnostics?(
            TelemetryDiagnostic(
                kind: .unexpectedInput,
                message: "Triggers did not see \(missed) events, which the flight recorder replaced before they were read."))
    }
}
