import Foundation
import Synchronization

/// Hears of signals, from the moment on that it is made: a handler writes each one's number into a pipe.
///
/// A source of Dispatch's is registered some time after it was resumed, and what comes until then is lost.
final class SignalPipe: Sendable {
    /// Where the handler writes to; one pipe at a time hears.
    private static let inlet = Atomic<Int32>(-1)

    private let numbers: [Int32]
    private let inlet: Int32

    /// - Parameter hear: Called with a signal's number, on a thread of its own.
    init(_ numbers: [Int32], _ hear: @escaping @Sendable (Int32) -> Void) {
        self.numbers = numbers
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 { for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) } }
        inlet = ends[1]
        let outlet = ends[0]
        Self.inlet.store(inlet, ordering: .releasing)
        for number in numbers {
            signal(number) { number in
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(SignalPipe.inlet.load(ordering: .acquiring), &byte, 1)
            }
        }
        // Reading blocks, so it gets a thread of its own; it ends when the pipe does.
        Thread {
            // Whoever started the process may have left the signals blocked in every thread.
            var wanted = sigset_t()
            sigemptyset(&wanted)
            for number in numbers { sigaddset(&wanted, number) }
            pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
            var byte: UInt8 = 0
            while true {
                let count = read(outlet, &byte, 1)
                if count == 1 {
                    hear(Int32(byte))
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(outlet)
        }.start()
    }

    /// Ends hearing; from then on the signals are ignored.
    func end() {
        for number in numbers { signal(number, SIG_IGN) }
        Self.inlet.store(-1, ordering: .releasing)
        close(inlet)
    }
}
