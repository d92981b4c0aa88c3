#if PostgreSQL
import CPostgreSQL
import Dispatch
import Foundation

/// A connection to a server. Runs one statement at a time.
///
/// Cancelling a task cancels its statement and ends the connection. Every method throws ``PostgreSQLError`` or
/// `CancellationError`.
package actor PostgreSQLConnection {
    /// The maximum number of prepared statements.
    private static let maximumStatements = 200
    /// The maximum size of a statement's parameters: the server refuses messages of 1 GiB (PostgreSQL, PQ_LARGE_MESSAGE_LIMIT).
    private static let maximumBytes = 1 << 30 - 1 << 20
    /// How much longer than the server's time limit a statement may take before the connection counts as lost.
    static let grace: Duration = .seconds(10)

    private let handle: PostgreSQLHandle
    private let timeout: Duration
    private var statements: [String: String] = [:]
    private var isBusy = false
    private var isLost = false

    init(_ handle: consuming PostgreSQLHandle, timeout: Duration) {
        self.handle = handle
        self.timeout = timeout
    }

    static func message(_ text: UnsafePointer<CChar>?) -> String {
        let text = text.map { String(cString: $0) } ?? "no message"
        return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    /// Applies the settings of a session.
    package func apply(_ session: PostgreSQLSession) async throws {
        let (sql, values) = session.statement
        try await execute(sql, values)
    }

    /// Whether the connection is open and outside a transaction, as far as it is known without asking the server.
    package var isUsable: Bool {
        guard !isLost, !isBusy else { return false }
        // The end of the connection is readable after the server's last message.
        while SocketPoller.isReadable(PQsocket(handle.raw)) {
            guard PQconsumeInput(handle.raw) == 1 else { return false }
        }
        guard PQstatus(handle.raw) == CONNECTION_OK else { return false }
        return PQtransactionStatus(handle.raw) == PQTRANS_IDLE
    }

    /// Runs one statement, which is prepared once for each connection.
    /// - Parameter isUnlimited: whether to wait for the server without a time limit. The server has one of its own.
    @discardableResult
    package func execute(
        _ sql: String, _ values: [PostgreSQLValue] = [], isUnlimited: Bool = false
    ) async throws -> PostgreSQLResult {
        try await exclusively { connection in
            let name = try await connection.prepare(sql)
            try connection.send(values, to: name)
            return try await connection.result(isUnlimited: isUnlimited)
        }
    }

    /// Runs statements without parameters, separated by semicolons, and returns the last result's number of rows.
    @discardableResult
    package func run(_ sql: String, isUnlimited: Bool = false) async throws -> PostgreSQLResult {
        try await exclusively { connection in
            guard PQsendQuery(connection.handle.raw, sql) == 1 else { throw connection.lost() }
            return try await connection.result(isUnlimited: isUnlimited)
        }
    }

    /// Waits for notifications of the channels that the connection listens to, and returns their payloads.
    package func notifications() async throws -> [String] {
        while true {
            guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
            let payloads = pendingNotifications()
            guard payloads.isEmpty else { return payloads }
            let outcome = await SocketPoller.shared.wait(for: PQsocket(handle.raw), .read)
            if outcome == .cancelled { throw CancellationError() }
        }
    }

    private func pendingNotifications() -> [String] {
        var payloads: [String] = []
        while let notification = PQnotifies(handle.raw) {
            payloads.append(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
        return payloads
    }

    private func exclusively<Value: Sendable>(
        _ body: (isolated PostgreSQLConnection) async throws -> Value
    ) async throws -> Value {
        guard !isLost else { throw PostgreSQLError(.connection, "the connection was lost") }
        guard !isBusy else { throw PostgreSQLError(.exhausted, "the connection is in use") }
        isBusy = true
        defer { isBusy = false }
        return try await body(self)
    }

    private func prepare(_ sql: String) async throws -> String {
        if let name = statements[sql] { return name }
        if statements.count >= Self.maximumStatements {
            guard PQsendQuery(handle.raw, "DEALLOCATE ALL") == 1 else { throw lost() }
            _ = try await result()
            statements = [:]
        }
        let name = "s\(statements.count)"
        guard PQsendPrepare(handle.raw, name, sql, 0, nil) == 1 else { throw lost() }
        _ = try await result()
        statements[sql] = name
        return name
    }

    private func send(_ values: [PostgreSQLValue], to name: String) throws {
        let encoded = values.map(\.encoded)
        guard encoded.reduce(0, { $0 + ($1?.count ?? 0) }) <= Self.maximumBytes else {
            throw PostgreSQLError(.tooLarge, "the parameters have more than \(Self.maximumBytes) bytes")
        }
        var bytes: [UInt8] = []
        let offsets = encoded.map { value -> Int? in
            guard let value else { return nil }
            defer { bytes += value }
            return bytes.count
        }
        // An empty value at the end has an address, too.
        bytes.append(0)
        let isSent = bytes.withUnsafeBytes { buffer in
            let pointers = offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset else { return nil }
                return buffer.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return PQsendQueryPrepared(
                handle.raw, name, Int32(values.count), pointers, encoded.map { Int32($0?.count ?? 0) },
                [Int32](repeating: 1, count: values.count), 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    /// Waits for the statement's end.
    private func result(isUnlimited: Bool = false) async throws -> PostgreSQLResult {
        let deadline = isUnlimited ? nil : ContinuousClock.now + timeout
        while true {
            switch PQflush(handle.raw) {
            case 0: break
            case 1:
                try await wait(.readOrWrite, until: deadline)
                guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
                continue
            default: throw lost()
            }
            break
        }
        var last = PostgreSQLResult()
        var failure: PostgreSQLError?
        while true {
            while PQisBusy(handle.raw) == 1 {
                try await wait(.read, until: deadline)
                guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
            }
            guard let raw = PQgetResult(handle.raw) else { break }
            defer { PQclear(raw) }
            switch PQresultStatus(raw) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: last = Self.read(raw)
            default: failure = failure ?? error(of: raw)
            }
        }
        if let failure { throw failure }
        return last
    }

    private func wait(_ interest: SocketPoller.Interest, until deadline: ContinuousClock.Instant?) async throws {
        switch await SocketPoller.shared.wait(for: PQsocket(handle.raw), interest, until: deadline) {
        case .ready: return
        case .timedOut:
            cancelStatement()
            throw PostgreSQLError(.timeout, "the database does not answer")
        case .cancelled:
            cancelStatement()
            throw CancellationError()
        }
    }

    /// Ends the statement in progress, which then throws. The connection is not used again.
    func abort() {
        cancelStatement()
        // Wakes the statement that waits for the server.
        _ = shutdown(PQsocket(handle.raw), Int32(SHUT_RDWR))
    }

    /// Asks the server to cancel the statement, over a connection of its own. This connection is not used again.
    private func cancelStatement() {
        isLost = true
        guard let cancel = PQgetCancel(handle.raw) else { return }
        // PQcancel blocks. Only the closure uses the pointer, which libpq allows on any thread.
        let address = UInt(bitPattern: cancel)
        DispatchQueue.global().async {
            guard let cancel = OpaquePointer(bitPattern: address) else { return }
            var message = [CChar](repeating: 0, count: 256)
            _ = PQcancel(cancel, &message, 256)
            PQfreeCancel(cancel)
        }
    }

    private func lost() -> PostgreSQLError {
        isLost = true
        return PostgreSQLError(.connection, Self.message(PQerrorMessage(handle.raw)))
    }

    private func error(of raw: OpaquePointer) -> PostgreSQLError {
        let field = PQresultErrorField(raw, Int32(UInt8(ascii: "C")))
        guard let field, PQstatus(handle.raw) == CONNECTION_OK else {
            let state = field.map { String(cString: $0) }
            isLost = true
            return PostgreSQLError(state.map { .server($0) } ?? .connection, Self.message(PQresultErrorMessage(raw)))
        }
        let primary = PQresultErrorField(raw, Int32(UInt8(ascii: "M")))
        return PostgreSQLError(.server(String(cString: field)), Self.message(primary ?? PQresultErrorMessage(raw)))
    }

    private static func read(_ raw: OpaquePointer) -> PostgreSQLResult {
        var result = PostgreSQLResult()
        let columns = PQnfields(raw)
        let rows = PQntuples(raw)
        result.rows.reserveCapacity(Int(rows))
        for row in 0..<rows {
            let cells = (0..<columns).map { column -> [UInt8]? in
                guard PQgetisnull(raw, row, column) == 0, let value = PQgetvalue(raw, row, column) else { return nil }
                let count = Int(PQgetlength(raw, row, column))
                return Array(UnsafeRawBufferPointer(start: value, count: count))
            }
            result.rows.append(PostgreSQLRow(cells: cells))
        }
        result.affected = PQcmdTuples(raw).map { Int(String(cString: $0)) ?? 0 } ?? 0
        return result
    }
}
#endif
