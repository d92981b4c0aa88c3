import Foundation
import Synchronization

/// What comes back for a request, in the order in which it arrives.
enum HTTPPiece: Sendable {
    case head(HTTPHead)
    case data(Data)
}

/// The status and the headers of an answer.
struct HTTPHead: Sendable {
    let status: Int
    /// By name in lower case.
    let headers: [String: String]

    func header(_ name: String) -> String? { headers[name.lowercased()] }
}

/// A whole answer.
struct HTTPReply: Sendable {
    let head: HTTPHead
    let body: Data
}

/// A server sent more than there is room for.
struct HTTPOverflow: Error, Equatable {
    let limit: Int
}

/// One request and what comes back for it. What was not read yet is bounded: a server that sends more is cut off.
final class HTTPExchange: Sendable {
    private let pieces: AsyncThrowingStream<HTTPPiece, any Error>
    private let continuation: AsyncThrowingStream<HTTPPiece, any Error>.Continuation
    private let unread = Atomic<Int>(0)
    private let limit: Int

    /// - Parameter limit: The most bytes that may wait to be read.
    init(limit: Int) {
        (pieces, continuation) = AsyncThrowingStream.makeStream(of: HTTPPiece.self)
        self.limit = limit
    }

    /// Calls the action once, when the exchange ended or its reader was cancelled; it is told whether there was no error.
    func whenEnded(_ action: @escaping @Sendable (_ isFinished: Bool) -> Void) {
        continuation.onTermination = { termination in
            if case .finished(nil) = termination { action(true) } else { action(false) }
        }
    }

    // MARK: The sender's side

    func receive(_ head: HTTPHead) { continuation.yield(.head(head)) }

    /// Returns false where the data does not fit; the exchange has failed then.
    func receive(_ data: Data) -> Bool {
        let total = unread.wrappingAdd(data.count, ordering: .relaxed).newValue
        guard total <= limit else {
            continuation.finish(throwing: HTTPOverflow(limit: limit))
            return false
        }
        continuation.yield(.data(data))
        return true
    }

    /// Ends the exchange; a second call does nothing.
    func finish(_ error: (any Error)? = nil) { continuation.finish(throwing: error) }

    // MARK: The reader's side

    /// The next piece; nil at the end. A piece makes room for as many bytes as it has.
    func next() async throws -> HTTPPiece? {
        guard let piece = try await unlimitedNext() else { return nil }
        if case .data(let data) = piece { unread.wrappingSubtract(data.count, ordering: .relaxed) }
        return piece
    }

    /// The answer's head.
    /// - Throws: what the connection failed with; `CancellationError`.
    func head() async throws -> HTTPHead {
        while let piece = try await next() { if case .head(let head) = piece { return head } }
        throw URLError(.badServerResponse)
    }

    /// The rest of the body: at most as many bytes as the exchange has room for.
    func body() async throws -> Data {
        var body = Data()
        while let piece = try await unlimitedNext() {
            guard case .data(let data) = piece else { continue }
            if body.isEmpty { body = data } else { body.append(data) }
        }
        return body
    }

    private func unlimitedNext() async throws -> HTTPPiece? {
        var iterator = pieces.makeAsyncIterator()
        let piece = try await iterator.next()
        // A stream whose reader is cancelled ends without an error.
        if piece == nil { try Task.checkCancellation() }
        return piece
    }
}
