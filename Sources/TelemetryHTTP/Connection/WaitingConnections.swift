import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The connections of streams and of requests that wait at the relay.
///
/// On Linux a session that opens a connection for a request polls whether the connection is writable until that request ends. It
/// always is, so a request that waits on a new connection keeps a processor core busy. On an open connection the session only
/// waits for data. So each waiting request has its own session, in which a short request without a token opens the connection
/// first.
final class WaitingConnections: Sendable {
    /// The connections of this process.
    static let shared = WaitingConnections()

    #if canImport(FoundationNetworking)
    /// An unused session.
    private struct Idle {
        let connection: HTTPConnection
        let address: String
        /// Started at its last response, which left a connection open; nil if no connection is known to be open.
        let sinceAnswer: Stopwatch?
    }

    /// How long a connection is assumed to stay open without a request; servers allow at least 5 seconds.
    private static let openTime = Duration.seconds(2)

    /// Ordered by last use, the most recent one last. At most as many as requests waited at the same time.
    private let idle = Mutex<[Idle]>([])
    #else
    private let connection = HTTPConnection(maximumConnectionsPerHost: 10_000)
    #endif

    private init() {}

    /// Sends a request whose response the relay may delay.
    /// - Parameters:
    ///   - opening: A request to the same server that is answered at once, with any status. Sent only to open a connection, and
    ///     cancelled after `requestTimeout`.
    ///   - limit: The maximum number of unread bytes of the response.
    /// - Throws: The short request's error; `CancellationError`.
    func begin(
        _ request: URLRequest, to address: RelayAddress, opening: @autoclosure () throws -> URLRequest, limit: Int,
        configuration: HTTPTelemetryTransport.Configuration
    ) async throws -> HTTPExchange {
        #if canImport(FoundationNetworking)
        let opening = try opening()
        let (connection, isOpen) = take(address)
        if !isOpen {
            do {
                try await withDeadline(configuration.requestTimeout, clock: configuration.clock) {
                    let exchange = connection.begin(opening, limit: configuration.maximumResponseBytes)
                    defer { exchange.finish() }
                    _ = try await exchange.body()
                }
            } catch {
                putBack(Idle(connection: connection, address: address.description, sinceAnswer: nil))
                throw error
            }
        }
        return connection.begin(request, limit: limit) { [self] isWhole in
            let stopwatch = isWhole ? Stopwatch(configuration.clock) : nil
            putBack(Idle(connection: connection, address: address.description, sinceAnswer: stopwatch))
        }
        #else
        return connection.begin(request, limit: limit)
        #endif
    }

    #if canImport(FoundationNetworking)
    /// Returns an unused session, and whether it has an open connection to the address.
    private func take(_ address: RelayAddress) -> (connection: HTTPConnection, isOpen: Bool) {
        let taken = idle.withLock { idle -> Idle? in
            let index = idle.lastIndex { $0.address == address.description } ?? idle.indices.last
            return index.map { idle.remove(at: $0) }
        }
        guard let taken else { return (HTTPConnection(maximumConnectionsPerHost: 2), false) }
        guard taken.address == address.description, let sinceAnswer = taken.sinceAnswer else { return (taken.connection, false) }
        return (taken.connection, sinceAnswer.elapsed() < Self.openTime)
    }

    private func putBack(_ connection: Idle) { idle.withLock { $0.append(connection) } }
    #endif
}
