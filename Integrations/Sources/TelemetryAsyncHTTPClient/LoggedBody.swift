import AsyncHTTPClient
import NIOCore

/// The body of a response, whose end is logged.
struct LoggedBody: AsyncSequence, Sendable {
    private let body: HTTPClientResponse.Body
    /// Released with the body and its iterator, and then logs the end of a body that was not read to its end.
    private let log: RequestLog

    init(_ body: HTTPClientResponse.Body, log: RequestLog) {
        self.body = body
        self.log = log
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), log: log) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: HTTPClientResponse.Body.AsyncIterator
        fileprivate let log: RequestLog

        mutating func next() async throws -> ByteBuffer? {
            do {
                let part = try await body.next()
                if let part { log.received(part.readableBytes) } else { log.finish() }
                return part
            } catch {
                log.fail(error)
                throw error
            }
        }
    }
}
