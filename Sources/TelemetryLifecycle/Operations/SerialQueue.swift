/// Runs operations one after another, in the order in which they were asked for, each from its start to its end.
///
/// One task works the queue off and ends when it is empty. An operation must not wait for another one of the same queue.
@MainActor
final class SerialQueue {
    typealias Operation = @MainActor () async -> Void

    private let executor: (any TaskExecutor)?
    private var waiting: [Operation] = []
    private var worker: Task<Void, Never>?

    init(executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// Runs the operation when its turn comes and returns what it returns. Cancelling the caller does not cancel it.
    func perform<Value: Sendable>(_ operation: @escaping @MainActor () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: await operation()) }
        }
    }

    /// Runs the operation when its turn comes, without anybody waiting for it.
    func enqueue(_ operation: @escaping Operation) {
        waiting.append(operation)
        guard worker == nil else { return }
        worker = Task(executorPreference: executor) { await self.workOff() }
    }

    private func workOff() async {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            await next()
        }
        worker = nil
    }
}
