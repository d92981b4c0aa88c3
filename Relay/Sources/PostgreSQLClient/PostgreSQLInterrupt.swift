#if PostgreSQL
import Foundation
import Synchronization

/// Waits for a socket, on the calling thread, until another thread ends the waiting for good.
final class PostgreSQLInterrupt: Sendable {
    /// Why a wait ended. A socket with an error or at its end is ready.
    enum Outcome { case ready, timedOut, interrupted }

    /// Whether ``fire()`` was called.
    var isFired: Bool { fired.withLock(\.self) }

    private let fired = Mutex(false)
    private let reader: Int32
    private let writer: Int32

    /// - Throws: ``PostgreSQLError`` if the process has no file descriptors left.
    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PostgreSQLError(.connection, "the process has too many open files") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    /// Ends the wait in progress and all later ones.
    func fire() {
        let isFirst = fired.withLock { fired in
            defer { fired = true }
            return !fired
        }
        var byte: UInt8 = 0
        if isFirst { _ = write(writer, &byte, 1) }
    }

    /// Blocks until the socket can be read, or also until it can be written to.
    func wait(for socket: Int32, toWrite: Bool = false, until deadline: ContinuousClock.Instant? = nil) -> Outcome {
        while true {
            let events = Int16(toWrite ? POLLIN | POLLOUT : POLLIN)
            var descriptors = [
                pollfd(fd: reader, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: events, revents: 0),
            ]
            let count = poll(&descriptors, 2, Self.milliseconds(until: deadline))
            if isFired { return .interrupted }
            if count > 0, descriptors[1].revents != 0 { return .ready }
            if let deadline, deadline <= .now { return .timedOut }
        }
    }

    /// Whether a socket is readable now.
    static func isReadable(_ socket: Int32) -> Bool {
        var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// The argument of `poll`: rounded up, so that it does not return before the deadline; -1 without one.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - .now) / .milliseconds(1)
        return Int32(min(max(0, left.rounded(.up)), 60_000))
    }
}
#endif
