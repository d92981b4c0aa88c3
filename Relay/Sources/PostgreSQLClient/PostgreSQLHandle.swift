#if PostgreSQL
import CPostgreSQL
import Foundation

/// Owns libpq's connection.
struct PostgreSQLHandle: ~Copyable {
    let raw: OpaquePointer

    deinit { PQfinish(raw) }

    /// Connects. Looking up the host's name is not part of the time limit.
    static func open(
        _ settings: [String: String], timeout: Duration, _ interrupt: PostgreSQLInterrupt
    ) throws -> PostgreSQLHandle {
        let deadline = ContinuousClock.now + timeout
        guard let raw = begin(settings) else { throw PostgreSQLError(.connection, "out of memory") }
        let handle = PostgreSQLHandle(raw: raw)
        guard PQstatus(handle.raw) != CONNECTION_BAD else { throw failure(of: handle) }
        var status = PGRES_POLLING_WRITING
        while true {
            switch status {
            case PGRES_POLLING_OK:
                PQsetnonblocking(handle.raw, 1)
                return handle
            case PGRES_POLLING_FAILED: throw failure(of: handle)
            default:
                switch interrupt.wait(for: PQsocket(handle.raw), toWrite: status == PGRES_POLLING_WRITING, until: deadline) {
                case .ready: break
                case .timedOut: throw PostgreSQLError(.timeout, "the database does not accept a connection in time")
                case .interrupted: throw CancellationError()
                }
                status = PQconnectPoll(handle.raw)
            }
        }
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
