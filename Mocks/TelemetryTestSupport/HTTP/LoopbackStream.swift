public import Foundation
import Synchronization

/// The pieces of an answer that a test sends while a ``LoopbackServer`` holds the connection open.
@_spi(Tooling)
public final class LoopbackStream: Sendable {
    private enum Piece: Sendable {
        case data(Data)
        case end
        case abort
    }

    private let pieces = Mutex<[Piece]>([])
    private let drained = Atomic<Bool>(false)
    private let available = DispatchSemaphore(value: 0)

    /// Creates a stream without pieces.
    public init() {}

    /// Sends a piece as one chunk.
    public func send(_ text: String) { add(.data(Data(text.utf8))) }

    /// Sends a piece as one chunk.
    public func send(_ data: Data) { add(.data(data)) }

    /// Ends the answer correctly.
    public func end() { add(.end) }

    /// Ends the connection in the middle of the answer.
    public func abandon() { add(.abort) }

    private func add(_ piece: Piece) {
        pieces.withLock { $0.append(piece) }
        available.signal()
    }

    /// Whether the answer or the connection has ended.
    var isDrained: Bool { drained.load(ordering: .acquiring) }

    /// Passes the pieces to `write`, as chunks, until the end.
    func drain(_ write: (Data) -> Bool) {
        defer { drained.store(true, ordering: .releasing) }
        while true {
            available.wait()
            switch pieces.withLock({ $0.removeFirst() }) {
            case .data(let data):
                let chunk = Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
                guard write(chunk) else { return }
            case .end:
                _ = write(Data("0\r\n\r\n".utf8))
                return
            case .abort: return
            }
        }
    }
}
