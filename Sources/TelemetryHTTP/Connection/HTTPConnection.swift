import Foundation
import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The process's sessions.
///
/// On Linux a session that is deallocated while a task ends can take the process with it, so they are kept for good, and a
/// delegate routes callbacks by task. There are two sessions, so that requests which wait at the relay do not use up the
/// connections of those which are answered at once.
final class HTTPConnection: Sendable {
    /// For requests that are answered at once.
    static let requests = HTTPConnection(maximumConnectionsPerHost: 16)
    /// For streams, and requests that wait for something to happen.
    static let streams = HTTPConnection(maximumConnectionsPerHost: 10_000)

    private let session: URLSession
    private let router = HTTPTaskRouter()

    private init(maximumConnectionsPerHost: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        configuration.httpAdditionalHeaders = ["User-Agent": "LiveTelemetry/\(LiveTelemetryVersion.version)"]
        session = URLSession(configuration: configuration, delegate: router, delegateQueue: nil)
    }

    /// Sends the request. Cancelling the reader, or `finish()`, ends it.
    /// - Parameter limit: The most bytes of the answer that may wait to be read.
    func begin(_ request: URLRequest, limit: Int) -> HTTPExchange {
        let task = session.dataTask(with: request)
        let id = task.taskIdentifier
        let exchange = HTTPExchange(limit: limit)
        router.add(exchange, for: id)
        exchange.whenEnded { [router] in
            // A task that completed was removed before.
            if router.remove(id) != nil { task.cancel() }
        }
        task.resume()
        return exchange
    }
}
