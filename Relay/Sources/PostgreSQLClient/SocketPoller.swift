#if PostgreSQL
import Foundation
import Synchronization

/// Waits until sockets are readable or writable, on one thread for the whole process.
///
/// A call suspends its task; no thread of Swift's pool is blocked.
final class SocketPoller: Sendable {
    /// What a caller waits for.
    enum Interest: Sendable {
        case read
        case readOrWrite

        fileprivate var events: Int16 { self == .read ? Int16(POLLIN) : Int16(POLLIN | POLLOUT) }
    }

    /// Why a wait ended. A socket with an error or at its end is ready.
    enum Outcome: Sendable { case ready, timedOut, cancelled }

    private struct Waiter {
        let descriptor: Int32
        let events: Int16
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var lastID = 0
        var waiters: [Int: Waiter] = [:]
        /// Waits that were cancelled before they began.
        var cancelled: Set<Int> = []
    }

    static let shared = SocketPoller()

    private let state = Mutex(State())
    private let wakeReader: Int32
    private let wakeWriter: Int32

    private init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        Thread { [weak self] in
            while let self { self.pollOnce() }
        }.start()
    }

    /// Waits for a socket. Returns `.cancelled` if the task is cancelled.
    func wait(
        for descriptor: Int32, _ interest: Interest, until deadline: ContinuousClock.Instant? = nil
    ) async -> Outcome {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !state.cancelled.contains(id) else { return true }
                    state.waiters[id] = Waiter(
                        descriptor: descriptor, events: interest.events, deadline: deadline, continuation: continuation)
                    return false
                }
                if isCancelled { continuation.resume(returning: .cancelled) } else { wake() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.cancelled.insert(id)
                return state.waiters.removeValue(forKey: id)
            }
            waiter?.continuation.resume(returning: .cancelled)
        }
    }

    /// Whether a socket is readable now.
    static func isReadable(_ descriptor: Int32) -> Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    private func wake() {
        var byte: UInt8 = 0
        _ = write(wakeWriter, &byte, 1)
    }

    private func pollOnce() {
        let waiters = state.withLock { Array($0.waiters) }
        var descriptors = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
        descriptors += waiters.map { pollfd(fd: $0.value.descriptor, events: $0.value.events, revents: 0) }
        poll(&descriptors, nfds_t(descriptors.count), Self.milliseconds(until: waiters.compactMap(\.value.deadline).min()))
        if descriptors[0].revents != 0 { drain() }
        let now = ContinuousClock.now
        for (waiter, descriptor) in zip(waiters, descriptors.dropFirst()) {
            let isLate = waiter.value.deadline.map { $0 <= now } ?? false
            guard descriptor.revents != 0 || isLate else { continue }
            // A cancelled wait has been resumed already.
            let removed = state.withLock { $0.waiters.removeValue(forKey: waiter.key) }
            removed?.continuation.resume(returning: descriptor.revents != 0 ? .ready : .timedOut)
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(wakeReader, &bytes, bytes.count) > 0 {}
    }

    /// The argument of `poll`: rounded up, so that it does not return before the deadline; -1 without one.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - .now) / .milliseconds(1)
        return Int32(min(max(0, left.rounded(.up)), 60_000))
    }
}
#endif
