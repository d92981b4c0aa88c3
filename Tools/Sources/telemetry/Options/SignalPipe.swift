import Foundation
import Synchronization

/// Receives signals from its initialization on: a handler writes each signal's number into a pipe.
///
/// A `DispatchSource` registers asynchronously after `resume()`, and signals until then are lost.
final class SignalPipe: Sendable {
    /// The descriptor that the handler writes to. One pipe at a time receives signals.
    private static let inlet = Atomic<Int32>(-1)

    private let numbers: [Int32]
    private let inlet: Int32

    /// - Parameter handler: Called with a signal's number, on a separate thread.
    init(_ numbers: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) {
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
        // Reading blocks, so it runs on a separate thread, which ends when the pipe is closed.
        Thread {
            // The parent process may have blocked the signals in every thread.
            var wanted = sigset_t()
            sigemptyset(&wanted)
            for number in numbers { sigaddset(&wanted, number) }
            pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
            var byte: UInt8 = 0
            while true {
                let count = read(outlet, &byte, 1)
                if count == 1 {
                    handler(Int32(byte))
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            close(outlet)
        }.start()
    }

    /// Stops receiving; from then on the signals are ignored.
    func end() {
        for number in numbers { signal(number, SIG_IGN) }
        Self.inlet.store(-1, ordering: .releasing)
        close(inlet)
    }
}
