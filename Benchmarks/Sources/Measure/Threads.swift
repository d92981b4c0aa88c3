import Foundation
import Synchronization

/// Runs the body on `count` new threads, started together, and returns the nanoseconds until the last one finishes.
public func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) -> Double {
    let ready = DispatchGroup()
    let gate = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    for _ in 0..<count {
        ready.enter()
        done.enter()
        Thread {
            ready.leave()
            gate.wait()
            body()
            done.leave()
        }.start()
    }
    ready.wait()
    let start = now()
    for _ in 0..<count { gate.signal() }
    done.wait()
    return Double(now() - start)
}

/// Runs the body for each element on a thread of its own, and rethrows the first error once all have ended.
public func inParallel<Element: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) throws -> Void
) throws {
    let next = Mutex(0)
    let failures = Mutex<[any Error]>([])
    _ = onThreads(elements.count) {
        let index = next.withLock { next in
            defer { next += 1 }
            return next
        }
        do { try body(elements[index]) } catch { failures.withLock { $0.append(error) } }
    }
    if let failure = failures.withLock({ $0.first }) { throw failure }
}

/// Calls the body at a fixed interval with busy waiting in between, and returns the duration of each call.
public func paced(_ calls: Int, every pause: UInt64, _ body: (Int) -> Void) -> [UInt64] {
    var samples: [UInt64] = []
    samples.reserveCapacity(calls)
    var next = now()
    for call in 0..<calls {
        while now() < next {}
        let start = now()
        body(call)
        samples.append(now() - start)
        // After an interruption, the interval restarts here, to avoid a burst.
        next = max(next + pause, start)
    }
    return samples
}
