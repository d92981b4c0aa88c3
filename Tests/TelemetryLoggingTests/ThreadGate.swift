import Foundation
import Synchronization

/// Holds one thread at a certain call of ``pass(_:)``.
final class ThreadGate: Sendable {
    @TaskLocal private static var isOnThread = false

    /// The number of calls until the thread is held.
    private let left = Mutex(0)
    private let opened = DispatchSemaphore(value: 0)
    private let held = AsyncStream.makeStream(of: Void.self)
    private let ended = AsyncStream.makeStream(of: Void.self)

    /// Returns the body's result, at the held call once ``open()`` was called.
    func pass<Value>(_ body: () -> Value) -> Value {
        let isHeld =
            Self.isOnThread
            && left.withLock { left in
                left -= 1
                return left == 0
            }
        if isHeld {
            held.continuation.yield()
            opened.wait()
        }
        return body()
    }

    /// Runs the body on a new thread, and returns when that is held.
    /// - Parameter call: The number of the thread's call of ``pass(_:)`` that is held.
    func hold(call: Int, in body: @escaping @Sendable () -> Void) async {
        left.withLock { $0 = call }
        Thread { [self] in
            Self.$isOnThread.withValue(true, operation: body)
            ended.continuation.yield()
        }.start()
        for await _ in held.stream { return }
    }

    /// Lets the thread continue, and returns when its body has returned.
    func open() async {
        opened.signal()
        for await _ in ended.stream { return }
    }
}
