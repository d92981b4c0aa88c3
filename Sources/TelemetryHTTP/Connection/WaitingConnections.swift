import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The connections of streams, and of requests that wait at the relay for something to happen.
///
/// On Linux a session that opens a connection for a request watches until that request's end whether the connection can be written
/// to. It always can, so a request that waits on a new connection keeps a processor core busy. On a connection that is open already
/// the session only watches for what arrives. So each request that waits has a session for itself, in which a short request that
/// needs no token opens the connection first.
final class WaitingConnections: Sendable {
    /// The process's.
    static let shared = WaitingConnections()

    #if canImport(FoundationNetworking)
    /// A session that no request uses.
    private struct Idle {
        let connection: HTTPConnection
        let address: String
        /// Since its last answer, which left a connection open; nil where there is none for sure.
        let sinceAnswer: Stopwatch?
    }

    /// How long a connection certainly stays open without a request; servers allow at least 5 seconds.
    private static let openTime = Duration.seconds(2)

    /// The one that was used last is the last one. At most as many as requests waited at the same time.
    private let idle = Mutex<[Idle]>([])
    #else
    private let connection = HTTPConnection(maximumConnectionsPerHost: 10_000)
    #endif

    private init() {}

    /// Sends a request that may wait for its answer.
    /// - Parameters:
    ///   - opening: A request to the same server that is answered at once, whatever its answer; sent where it is needed, and given
    ///     up after the configuration's time for a request.
    ///   - limit: The most bytes of the answer that may wait to be read.
    /// - Throws: what the short request failed with; `CancellationError`.
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
    /// A session that no request uses, and whether it has an open connection to the address.
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
