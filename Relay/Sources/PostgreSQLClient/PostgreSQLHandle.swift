#if PostgreSQL
import CPostgreSQL
import Dispatch
import Foundation

/// Owns libpq's connection.
struct PostgreSQLHandle: ~Copyable {
    let raw: OpaquePointer

    deinit { PQfinish(raw) }

    /// libpq looks up the host's name while it connects, which blocks.
    private static let queue = DispatchQueue(label: "telemetry-relay.postgresql.connect", attributes: .concurrent)

    /// Connects without blocking Swift's threads. Looking up the host's name is not part of the time limit.
    static func open(_ settings: [String: String], timeout: Duration) async throws -> PostgreSQLHandle {
        let deadline = ContinuousClock.now + timeout
        let handle = PostgreSQLHandle(raw: try await start(settings))
        guard PQstatus(handle.raw) != CONNECTION_BAD else { throw failure(of: handle) }
        var status = PGRES_POLLING_WRITING
        while true {
            switch status {
            case PGRES_POLLING_OK:
                PQsetnonblocking(handle.raw, 1)
                return handle
            case PGRES_POLLING_FAILED: throw failure(of: handle)
            default:
                let interest: SocketPoller.Interest = status == PGRES_POLLING_WRITING ? .readOrWrite : .read
                switch await SocketPoller.shared.wait(for: PQsocket(handle.raw), interest, until: deadline) {
                case .ready: break
                case .timedOut: throw PostgreSQLError(.timeout, "the database does not accept a connection in time")
                case .cancelled: throw CancellationError()
                }
                status = await poll(handle)
            }
        }
    }

    private static func poll(_ handle: borrowing PostgreSQLHandle) async -> PostgresPollingStatusType {
        // The address as a number, because a pointer must not be sent. Nobody else uses the connection meanwhile.
        let address = UInt(bitPattern: handle.raw)
        let status = await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: PQconnectPoll(OpaquePointer(bitPattern: address)).rawValue)
            }
        }
        return PostgresPollingStatusType(status)
    }

    private static func start(_ settings: [String: String]) async throws -> OpaquePointer {
        let address = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: begin(settings).map { UInt(bitPattern: $0) }) }
        }
        guard let raw = address.flatMap({ OpaquePointer(bitPattern: $0) }) else {
            throw PostgreSQLError(.connection, "out of memory")
        }
        return raw
    }

    private static func begin(_ settings: [String: String]) -> OpaquePointer? {
        let texts = settings.map { (strdup($0.key), strdup($0.value)) }
        defer {
            for (keyword, value) in texts {
                free(keyword)
                free(value)
            }
        }
        let keywords = texts.map { UnsafePointer($0.0) } + [nil]
        let values = texts.map { UnsafePointer($0.1) } + [nil]
        let raw = PQconnectStartParams(keywords, values, 0)
        PQsetNoticeProcessor(raw, { _, _ in }, nil)
        return raw
    }

    private static func failure(of handle: borrowing PostgreSQLHandle) -> PostgreSQLError {
        PostgreSQLError(.connection, PostgreSQLConnection.message(PQerrorMessage(handle.raw)))
    }
}
#endif
