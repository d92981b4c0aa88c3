import Dispatch
import Synchronization

/// Runs an asynchronous operation, and blocks until it ends. libFuzzer calls a target on a thread that may block.
func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Box<Value>()
    Task {
        let value = await body()
        result.value.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.value.withLock({ $0 }) else { violated("a task ended without a result") }
    return value
}

private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
