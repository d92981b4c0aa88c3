import Synchronization

/// A mutex whose order the thread sanitizer can follow.
///
/// Where threads contend for a `Mutex`, Linux's waits inside the standard library, which is compiled without the sanitizer: it
/// then takes what the lock guards for racing. An atomic that is written before unlocking and read after locking tells it;
/// both are plain moves on the processors that matter.
struct TraceableMutex<Value>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    private let order = Atomic<UInt8>(0)

    init(_ value: consuming sending Value) { mutex = Mutex(value) }

    @inline(__always)
    borrowing func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        mutex.withLock { value in
            _ = order.load(ordering: .acquiring)
            let result = body(&value)
            order.store(0, ordering: .releasing)
            return result
        }
    }
}
