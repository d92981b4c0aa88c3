#if PostgreSQL
import CPostgreSQL
import Dispatch
import Foundation

/// A connection to a server, whose methods block the calling thread. A ``PostgreSQLWorker`` owns it.
///
/// Every method throws ``PostgreSQLError``, or `CancellationError` if the task was cancelled.
package final class PostgreSQLConnection {
    /// The maximum number of prepared statements. Later ones are parsed each time.
    private static let maximumNames = 200
    /// The maximum number of statements that wait for the next one.
    private static let maximumWaiting = 100
    /// The maximum size of a statement's parameters: the server refuses messages of 1 GiB (PostgreSQL, PQ_LARGE_MESSAGE_LIMIT).
    private static let maximumBytes = 1 << 30 - 1 << 20
    /// How much longer than the server's time limit a statement may take before the connection counts as lost.
    private static let grace: Duration = .seconds(10)

    private let handle: PostgreSQLHandle
    private let timeout: Duration
    private let interrupt: PostgreSQLInterrupt
    /// The names of prepared statements.
    private var names: [String: String] = [:]
    /// Statements that run with the next one.
    private var waiting: [PostgreSQLStatement] = []
    private var isLost = false

    private init(_ handle: consuming PostgreSQLHandle, timeout: Duration, _ interrupt: PostgreSQLInterrupt) {
        self.handle = handle
        self.timeout = timeout
        self.interrupt = interrupt
    }

    /// Connects to the first host that accepts a connection, and applies the settings of the session.
    static func open(
        _ address: PostgreSQLAddress, _ session: PostgreSQLSession, _ interrupt: PostgreSQLInterrupt
    ) throws -> PostgreSQLConnection {
        var candidates = address.candidates[...]
        while true {
            let candidate = candidates.removeFirst()
            do {
                let settings = candidate.settings(timeout: session.connectTimeout)
                let handle = try PostgreSQLHandle.open(settings, timeout: session.connectTimeout, interrupt)
                let connection = PostgreSQLConnection(handle, timeout: session.statementTimeout + grace, interrupt)
                let (sql, values) = session.statement
                try connection.execute(sql, values)
                return connection
            } catch let error as PostgreSQLError {
                if candidates.isEmpty { throw error }
            }
        }
    }

    static func message(_ text: UnsafePointer<CChar>?) -> String {
        let text = text.map { String(cString: $0) } ?? "no message"
        return text.split(whereSeparator: \.isNewline).joined(separator: "; ")
    }

    /// Whether the connection is open and outside a transaction, as far as it is known without asking the server.
    var isUsable: Bool {
        guard !isLost, !interrupt.isFired else { return false }
        // The end of the connection is readable after the server's last message.
        while PostgreSQLInterrupt.isReadable(PQsocket(handle.raw)) {
            guard PQconsumeInput(handle.raw) == 1 else { return false }
        }
        guard PQstatus(handle.raw) == CONNECTION_OK else { return false }
        return PQtransactionStatus(handle.raw) == PQTRANS_IDLE
    }

    /// Runs one statement, which is prepared once for each connection.
    /// - Parameter row: called with each row of the result, of which one at a time is in memory. It must not use the connection.
    /// - Returns: the number of rows that the statement changed or returned.
    @discardableResult
    package func execute(
        _ sql: String, _ values: [PostgreSQLValue], row: ([PostgreSQLValue]) throws -> Void
    ) throws -> Int {
        if !waiting.isEmpty { try execute([]) }
        let statement = PostgreSQLStatement(sql, values)
        try send(statement, to: prepare(statement))
        PQsetSingleRowMode(handle.raw)
        return try withoutActuallyEscaping(row) { row in try finish { try row($1) } }
    }

    /// Runs one statement together with those that wait.
    /// - Returns: the number of rows that the statement changed or returned.
    @discardableResult
    package func execute(_ sql: String, _ values: [PostgreSQLValue] = []) throws -> Int {
        try execute([PostgreSQLStatement(sql, values)])
    }

    /// The rows of the results of statements, which run one after the other, in one round trip.
    package func rows(_ statements: [PostgreSQLStatement]) throws -> [[[PostgreSQLValue]]] {
        guard !statements.isEmpty else { return [] }
        let first = waiting.count
        var rows = [[[PostgreSQLValue]]](repeating: [], count: statements.count)
        try execute(statements) { if $0 >= first { rows[$0 - first].append($1) } }
        return rows
    }

    /// Runs a statement, whose result is not needed, together with the next one. It must be within a transaction.
    package func enqueue(_ statement: PostgreSQLStatement) throws {
        waiting.append(statement)
        if waiting.count >= Self.maximumWaiting { try execute([]) }
    }

    /// Ends the transaction after a failure.
    func rollBack() throws {
        waiting = []
        try run("ROLLBACK")
    }

    /// Runs the waiting statements and these in one round trip.
    /// - Parameter row: called with the index of a statement and each row of its result.
    /// - Returns: the number of rows that the last statement changed or returned.
    @discardableResult
    private func execute(_ statements: [PostgreSQLStatement], row: (Int, [PostgreSQLValue]) throws -> Void = { _, _ in }) throws
        -> Int
    {
        let statements = waiting + statements
        waiting = []
        let names = try statements.map(prepare)
        guard PQenterPipelineMode(handle.raw) == 1 else { throw lost() }
        for (statement, name) in zip(statements, names) { try send(statement, to: name) }
        guard PQpipelineSync(handle.raw) == 1 else { throw lost() }
        let affected = Result { try withoutActuallyEscaping(row) { try finish(statements.count, $0) } }
        guard isLost || PQexitPipelineMode(handle.raw) == 1 else { throw lost() }
        return try affected.get()
    }

    /// Runs statements without parameters, separated by semicolons. Their rows are left out.
    /// - Parameter isUnlimited: whether to wait for the server without a time limit. The server has one of its own.
    package func run(_ sql: String, isUnlimited: Bool = false) throws {
        try checkUse()
        if !waiting.isEmpty { try execute([]) }
        guard PQsendQuery(handle.raw, sql) == 1 else { throw lost() }
        try finish(isUnlimited: isUnlimited)
    }

    /// Waits for notifications of the channels that the connection listens to, and returns their payloads.
    package func notifications() throws -> [String] {
        while true {
            guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
            let payloads = pendingNotifications()
            guard payloads.isEmpty else { return payloads }
            try wait()
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

    private func checkUse() throws {
        guard !isLost else { throw PostgreSQLError(.connection, "the connection was lost") }
    }

    private func prepare(_ statement: PostgreSQLStatement) throws -> String {
        try checkUse()
        guard statement.values.reduce(0, { $0 + $1.size }) <= Self.maximumBytes else {
            throw PostgreSQLError(.tooLarge, "the parameters have more than \(Self.maximumBytes) bytes")
        }
        if let name = names[statement.sql] { return name }
        guard names.count < Self.maximumNames else { return "" }
        let name = "s\(names.count)"
        let types = statement.values.map(\.type)
        guard PQsendPrepare(handle.raw, name, statement.sql, Int32(types.count), types) == 1 else { throw lost() }
        try finish()
        names[statement.sql] = name
        return name
    }

    /// - Parameter name: empty for a statement that is not prepared.
    private func send(_ statement: PostgreSQLStatement, to name: String) throws {
        let encoded = statement.values.map(\.encoded)
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
            let (count, lengths) = (Int32(encoded.count), encoded.map { Int32($0?.count ?? 0) })
            let formats = [Int32](repeating: 1, count: encoded.count)
            return name.isEmpty
                ? PQsendQueryParams(
                    handle.raw, statement.sql, count, statement.values.map(\.type), pointers, lengths, formats, 1)
                : PQsendQueryPrepared(handle.raw, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    /// Sends what is buffered, and waits for the statements' end. If one fails, the ones after it do not run.
    /// - Parameters:
    ///   - count: the number of statements in libpq's pipeline; nil outside of it.
    ///   - row: called with the index of a statement and each row of its result.
    /// - Returns: the number of rows that the last statement changed or returned.
    @discardableResult
    private func finish(
        _ count: Int? = nil, isUnlimited: Bool = false, _ row: ((Int, [PostgreSQLValue]) throws -> Void)? = nil
    ) throws -> Int {
        // Of each statement, as the server's.
        var deadline: ContinuousClock.Instant? { isUnlimited ? nil : ContinuousClock.now + timeout }
        flushing: while true {
            switch PQflush(handle.raw) {
            case 0: break flushing
            case 1:
                try wait(toWrite: true, until: deadline)
                guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
            default: throw lost()
            }
        }
        var affected = 0
        var failure: (any Error)?
        for index in 0..<(count ?? 1) {
            while let raw = try nextResult(until: deadline) {
                defer { PQclear(raw) }
                switch PQresultStatus(raw) {
                // The results have to be received to the end, even if a row cannot be used.
                case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                    do {
                        if let row, failure == nil {
                            for tuple in 0..<PQntuples(raw) { try row(index, Self.values(raw, tuple)) }
                        }
                    } catch {
                        failure = error
                    }
                    affected = PQcmdTuples(raw).map { Int(String(cString: $0)) ?? 0 } ?? 0
                case PGRES_PIPELINE_ABORTED: break
                default: failure = failure ?? error(of: raw)
                }
            }
        }
        // The pipeline's end.
        if count != nil, let raw = try nextResult(until: deadline) { PQclear(raw) }
        if let failure { throw failure }
        return affected
    }

    /// A row of a result in binary form.
    private static func values(_ result: OpaquePointer, _ row: Int32) throws -> [PostgreSQLValue] {
        try (0..<PQnfields(result)).map { column in
            guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
            return try PostgreSQLValue(bytes, type: PQftype(result, column))
        }
    }

    private func nextResult(until deadline: ContinuousClock.Instant?) throws -> OpaquePointer? {
        while PQisBusy(handle.raw) == 1 {
            try wait(until: deadline)
            guard PQconsumeInput(handle.raw) == 1 else { throw lost() }
        }
        return PQgetResult(handle.raw)
    }

    private func wait(toWrite: Bool = false, until deadline: ContinuousClock.Instant? = nil) throws {
        switch interrupt.wait(for: PQsocket(handle.raw), toWrite: toWrite, until: deadline) {
        case .ready: return
        case .timedOut:
            cancelStatement()
            throw PostgreSQLError(.timeout, "the database does not answer")
        case .interrupted:
            cancelStatement()
            try Task.checkCancellation()
            throw PostgreSQLError(.connection, "the connection was closed")
        }
    }

    /// Asks the server to cancel the statement, over a connection of its own. This connection is not used again.
    private func cancelStatement() {
        isLost = true
        guard let cancel = PQgetCancel(handle.raw) else { return }
        // PQcancel may block for minutes. Only the closure uses the pointer, which libpq allows on any thread.
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
}
#endif
