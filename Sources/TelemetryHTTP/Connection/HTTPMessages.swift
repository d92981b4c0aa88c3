public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Sends single HTTP requests, for the integrations and the tools, which are separate packages; not part of the public interface.
@_spi(Tooling)
public enum HTTPMessages {
    /// A complete response, also one with an error status.
    public struct Response: Sendable {
        /// The status code.
        public let status: Int
        /// The body, at most as many bytes as the limit.
        public let body: Data
        /// How long to wait before the next request, at most a day; nil if the response does not state it.
        public let retryAfter: Duration?
    }

    /// A request without a complete response.
    public struct Failure: Error, LocalizedError, Sendable {
        /// What happened, without the request's URL and headers.
        public let errorDescription: String?
    }

    /// Sends the request and returns its response. Redirections are not followed.
    /// - Parameters:
    ///   - request: The request; its own timeout is ignored.
    ///   - timeout: How long the response may take, on `clock`.
    ///   - limit: The maximum number of bytes of the response.
    ///   - clock: The clock for the timeout.
    ///   - now: Returns the date relative to which a date to wait for is measured if the response has no date.
    /// - Throws: ``Failure``; `CancellationError` if the calling task is cancelled, which ends the request.
    public static func send(
        _ request: URLRequest, timeout: Duration, limit: Int = 1 << 20, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { .now }
    ) async throws -> Response {
        do {
            return try await withDeadline(timeout, clock: clock) { [request] in
                var request = request
                // Only an idle timer; the deadline is enforced here.
                request.timeoutInterval = 3_600
                request.cachePolicy = .reloadIgnoringLocalCacheData
                let exchange = HTTPConnection.requests.begin(request, limit: limit)
                defer { exchange.finish() }
                let head = try await exchange.head()
                return Response(
                    status: head.status, body: try await exchange.body(),
                    retryAfter: RetryAfter.duration(head.header("Retry-After"), date: head.header("Date"), now: now()))
            }
        } catch {
            try Task.checkCancellation()
            throw Failure(errorDescription: description(of: error))
        }
    }

    private static func description(of error: any Error) -> String {
        switch error {
        case let error as DeadlineExceeded: return "no response within \(error.limit)"
        case let error as HTTPOverflow: return "the response has more than \(error.limit) bytes"
        default:
            let failure = error as NSError
            return "\(failure.localizedDescription) (\(failure.domain) \(failure.code))"
        }
    }
}
