#if DEBUG
import Foundation
import Synchronization
import TelemetryDebugLogging

/// Answers by its script, and records its batches.
final class ScriptedShipper: DebugLogShipping {
    private struct State {
        var script: [DebugLogShipment]
        var batches: [[DebugLogEntry]] = []
        var gate: [CheckedContinuation<Void, Never>] = []
        var isHolding = false
        var batchLimit: Int?
        var rule: (@Sendable ([DebugLogEntry]) -> DebugLogShipment)?
    }

    private let state: Mutex<State>
    private let arrivals = AsyncStream.makeStream(of: Int.self)

    /// - Parameter script: The answer to each batch; `stored` for all later ones.
    init(_ script: [DebugLogShipment] = []) {
        state = Mutex(State(script: script))
    }

    var batches: [[DebugLogEntry]] { state.withLock(\.batches) }
    var events: [[String]] { batches.map { $0.map(\.event) } }

    func answerNext(with answers: DebugLogShipment...) { state.withLock { $0.script += answers } }

    /// Answers later batches by a rule, up to a number of batches. The next one fails, to end a flush that would not end.
    func answer(upTo limit: Int = .max, _ rule: @escaping @Sendable ([DebugLogEntry]) -> DebugLogShipment) {
        state.withLock { state in
            state.rule = rule
            state.batchLimit = limit
        }
    }

    /// Holds later batches without an answer.
    func hold() { state.withLock { $0.isHolding = true } }

    func release() {
        let waiting = state.withLock { state in
            defer { state.gate = [] }
            state.isHolding = false
            return state.gate
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the next batch has arrived.
    func arrival() async {
        var iterator = arrivals.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        let answer = state.withLock { state in
            state.batches.append(entries)
            if let rule = state.rule {
                return state.batches.count > state.batchLimit ?? .max ? .failed("too many batches") : rule(entries)
            }
            return state.script.isEmpty ? .stored : state.script.removeFirst()
        }
        arrivals.continuation.yield(entries.count)
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isHolding { state.gate.append(continuation) }
                return !state.isHolding
            }
            if isOpen { continuation.resume() }
        }
        return answer
    }
}
#endif
