/// Runs the service's operations one at a time, in the order of the calls, each within its time limit.
@MainActor
final class ServiceOperations {
    typealias Body<Value> = @MainActor () async -> Value

    /// Called before each operation, within its time limit.
    var prepare: @MainActor () async -> Void = {}
    /// Called after each operation, within its time limit.
    var conclude: @MainActor (_ backsUp: Bool) async -> Void = { _ in }

    private let context: LifecycleContext
    private let queue: SerialQueue
    /// The deadlines of the operations that wait, in the order of their calls.
    private var waiting: [Deadline] = []
    private var waitingOptOuts = 0
    /// The deadline of operations that were called before an opt-out.
    private var gracePeriod: Deadline?
    /// The deadline of the operations that were called before a shutdown.
    private var endOfOperations: Deadline?

    init(context: LifecycleContext) {
        self.context = context
        queue = SerialQueue(executor: context.configuration.executor)
    }

    /// Enqueues a host's operation. It ends, successfully or not, within the timeout, counted from this call.
    /// - Parameter backsUp: Whether a pending backup is made before the operation ends.
    func run<Value: Sendable>(backsUp: Bool = true, _ body: @escaping Body<Value>) async -> Value {
        let deadline = timeout()
        return await inTurn(deadline) { await self.perform(body, backsUp: backsUp, until: deadline) }
    }

    /// Enqueues the operation that follows an opt-out. The operations before it are limited to the grace period.
    func runAfterOptOut<Value: Sendable>(_ body: @escaping Body<Value>) async -> Value {
        let deadline = timeout()
        let end = gracePeriod ?? Deadline(in: context.configuration.optOutGracePeriod, on: context.configuration.clock)
        gracePeriod = end
        context.calls.shortenDeadline(to: end)
        waitingOptOuts += 1
        return await inTurn(deadline) {
            self.waitingOptOuts -= 1
            if self.waitingOptOuts == 0 { self.gracePeriod = nil }
            return await self.perform(body, until: deadline)
        }
    }

    /// Enqueues an operation that no caller waits for. Its time limit starts when it runs; if another operation waits, that one's
    /// deadline applies.
    func enqueue(backsUp: Bool = true, _ body: @escaping Body<Void>) {
        queue.enqueue { await self.perform(body, backsUp: backsUp, until: self.waiting.first ?? self.timeout()) }
    }

    /// Runs the body in its turn, without preparation.
    func inTurn<Value: Sendable>(_ deadline: Deadline, _ body: @escaping Body<Value>) async -> Value {
        waiting.append(deadline)
        return await queue.perform {
            self.waiting.removeFirst()
            return await body()
        }
    }

    /// Ends the operations that were called until now at the deadline.
    func end(by deadline: Deadline) {
        endOfOperations = deadline
        context.calls.cancelAll()
        context.calls.shortenDeadline(to: deadline)
    }

    private func timeout() -> Deadline {
        Deadline(in: context.configuration.operationTimeout, on: context.configuration.clock)
    }

    private func perform<Value: Sendable>(
        _ body: Body<Value>, backsUp: Bool = true, until deadline: Deadline
    ) async -> Value {
        context.calls.begin(deadline)
        if let endOfOperations { context.calls.shortenDeadline(to: endOfOperations) }
        if let gracePeriod { context.calls.shortenDeadline(to: gracePeriod) }
        await prepare()
        let value = await body()
        await conclude(backsUp)
        context.calls.begin(nil)
        return value
    }
}
