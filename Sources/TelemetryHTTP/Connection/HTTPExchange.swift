import Foundation
import Synchronization

/// A part of a response, in the order of arrival.
enum HTTPPiece: Sendable {
    case head(HTTPHead)
    case data(Data)
}

/// The status and the headers of a response.
struct HTTPHead: Sendable {
    let status: Int
    /// By name in lower case.
    let headers: [String: String]

    func header(_ name: String) -> String? { headers[name.lowercased()] }

    /// The media type of the body in lower case, without its parameters.
    var mediaType: String? {
        header("Content-Type").map { $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased() }
    }
}

/// A complete response.
struct HTTPReply: Sendable {
    let head: HTTPHead
    let body: Data
}

/// A server sent more bytes than the limit.
struct HTTPOverflow: Error, Equatable {
    let limit: Int
}

/// One request and its response. The number of unread bytes is limited: if a server sends more, the exchange fails.
final class HTTPExchange: Sendable {
    private let pieces: AsyncThrowingStream<HTTPPiece, any Error>
    private let continuation: AsyncThrowingStream<HTTPPiece, any Error>.Continuation
    private let unread = Atomic<Int>(0)
    private let limit: Int

    /// - Parameter limit: The maximum number of unread bytes.
    init(limit: Int) {
        (pieces, continuation) = AsyncThrowingStream.makeStream(of: HTTPPiece.self)
        self.limit = limit
    }

    /// Calls the action once, when the exchange has ended or its reader was cancelled, with whether it ended without an error.
    func whenEnded(_ action: @escaping @Sendable (_ isFinished: Bool) -> Void) {
        continuation.onTermination = { termination in
            if case .finished(nil) = termination { action(true) } else { action(false) }
        }
    }

    // MARK: The sender's side

    func receive(_ head: HTTPHead) { continuation.yield(.head(head)) }

    /// Returns false if the data exceeds the limit; then the exchange has failed.
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

    /// Returns the next piece; nil at the end. Its bytes no longer count as unread.
    func next() async throws -> HTTPPiece? {
        guard let piece = try await unlimitedNext() else { return nil }
        if case .data(let data) = piece { unread.wrappingSubtract(data.count, ordering: .relaxed) }
        return piece
    }

    /// Returns the response's head.
    /// - Throws: The connection's error; `CancellationError`.
    func head() async throws -> HTTPHead {
        while let piece = try await next() { if case .head(let head) = piece { return head } }
        throw URLError(.badServerResponse)
    }

    /// Returns the rest of the body, at most as many bytes as the limit.
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
