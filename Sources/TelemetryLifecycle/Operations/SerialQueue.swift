/// Runs operations one at a time, in the order in which they were enqueued.
///
/// One task runs the operations and ends when the queue is empty. An operation must not wait for another one of the same queue.
@MainActor
final class SerialQueue {
    typealias Operation = @MainActor () async -> Void

    private let executor: (any TaskExecutor)?
    private var waiting: [Operation] = []
    private var worker: Task<Void, Never>?

    init(executor: (any TaskExecutor)? = nil) {
        self.executor = executor
    }

    /// Runs the operation after those before it and returns its result. Cancelling the caller does not cancel it.
    func perform<Value: Sendable>(_ operation: @escaping @MainActor () async -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            enqueue { continuation.resume(returning: await operation()) }
        }
    }

    /// Runs the operation after those before it, without waiting for it.
    func enqueue(_ operation: @escaping Operation) {
        waiting.append(operation)
        guard worker == nil else { return }
        worker = Task(executorPreference: executor) { await self.runAll() }
    }

    private func runAll() async {
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            await next()
        }
        worker = nil
    }
}
