import Foundation
import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URL session.
///
/// On Linux the process can crash if a session is deallocated while a task ends, so sessions are never released, and a delegate
/// routes callbacks by task.
final class HTTPConnection: Sendable {
    /// For requests that are answered at once. Requests that wait at the relay do not use its connections; `WaitingConnections`
    /// sends them.
    static let requests = HTTPConnection(maximumConnectionsPerHost: 16)

    private let session: URLSession
    private let router = HTTPTaskRouter()

    init(maximumConnectionsPerHost: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        configuration.httpAdditionalHeaders = ["User-Agent": "LiveTelemetry/\(LiveTelemetryVersion.version)"]
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
    }

    /// Sends the request. Cancelling the reader, or `finish()`, ends it.
    /// - Parameters:
    ///   - limit: The maximum number of unread bytes of the response.
    ///   - whenEnded: Called once at the end with whether the response is complete.
    func begin(
        _ request: URLRequest, limit: Int, whenEnded: @escaping @Sendable (_ isWhole: Bool) -> Void = { _ in }
    ) -> HTTPExchange {
        let task = session.dataTask(with: request)
        let id = task.taskIdentifier
        let exchange = HTTPExchange(limit: limit)
        router.add(exchange, for: id)
        exchange.whenEnded { [router] isFinished in
            // A task that completed was already removed.
            let isComplete = router.remove(id) == nil
            if !isComplete { task.cancel() }
            whenEnded(isComplete && isFinished)
        }
        task.resume()
        return exchange
    }
}
