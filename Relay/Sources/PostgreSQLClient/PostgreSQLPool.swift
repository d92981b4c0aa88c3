#if PostgreSQL
import Synchronization

/// A bounded number of connections, which are opened when they are needed and replaced when they break.
package final class PostgreSQLPool: Sendable {
    /// What a caller that waited gets: a free connection, or the permission to open one.
    private enum Grant: Sendable {
        case connection(PostgreSQLWorker)
        case opening
    }

    private struct Waiter {
        let id: Int
        let continuation: CheckedContinuation<Grant, any Error>
    }

    private struct State {
        var session: PostgreSQLSession
        var idle: [PostgreSQLWorker] = []
        var used: [ObjectIdentifier: PostgreSQLWorker] = [:]
        /// The number of connections that are open or being opened.
        var count = 0
        var lastID = 0
        var waiting: [Waiter] = []
        var isClosed = false
        var opened = 0
    }

    private let address: PostgreSQLAddress
    private let maximum: Int
    private let patience: Duration?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - maximum: the maximum number of connections, at least 1.
    ///   - patience: how long a caller waits for a connection; nil is the session's time limit for connecting.
    package init(
        _ address: PostgreSQLAddress, _ session: PostgreSQLSession, maximum: Int, patience: Duration? = nil
    ) {
        self.patience = patience
        self.address = address
        self.maximum = maximum
        state = Mutex(State(session: session))
    }

    /// Changes the settings of all later connections. Idle ones are closed.
    package func use(_ session: PostgreSQLSession) {
        let idle = state.withLock { state in
            state.session = session
            return Self.takeIdle(&state)
        }
        withExtendedLifetime(idle) {}
    }

    /// The number of connections that the pool has opened.
    package var opened: Int { state.withLock(\.opened) }

    /// Opens a connection outside the pool, with the settings of the pool.
    package func connect() async throws -> PostgreSQLWorker {
        try await PostgreSQLWorker.connect(to: address, state.withLock(\.session))
    }

    /// Runs `body` with a connection that nobody else uses, on its thread. Callers that wait get one in the order in which they began
    /// to.
    /// - Throws: ``PostgreSQLError`` with the code `exhausted` if no connection becomes free within the time limit.
    package func withConnection<Value: Sendable>(
        _ body: @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        let worker = try await acquire()
        let isClosed = state.withLock { state in
            state.used[ObjectIdentifier(worker)] = worker
            return state.isClosed
        }
        func returned() { state.withLock { _ = $0.used.removeValue(forKey: ObjectIdentifier(worker)) } }
        if isClosed { worker.abort() }
        do {
            let value = try await worker.use(body)
            returned()
            await release(worker)
            return value
        } catch {
            // After one connection is lost, the others usually are, too.
            if let error = error as? PostgreSQLError, error.endsConnection { dropIdle() }
            returned()
            await release(worker, isFailed: (error as? PostgreSQLError)?.endsConnection ?? false)
            throw error
        }
    }

    /// Runs `body` in a transaction. Repeats it up to three times if a concurrent transaction makes it fail.
    /// - Parameter begin: the statements that begin it, which run together with the first statement of `body`.
    package func transaction<Value: Sendable>(
        begin: [String], _ body: @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        var attempts = 0
        while true {
            attempts += 1
            do {
                return try await withConnection { connection in
                    do {
                        for sql in begin { try connection.enqueue(PostgreSQLStatement(sql)) }
                        let value = try body(connection)
                        try connection.execute("COMMIT")
                        return value
                    } catch {
                        try? connection.rollBack()
                        throw error
                    }
                }
            } catch let error as PostgreSQLError where error.isConflict && attempts < 4 {
                continue
            }
        }
    }

    /// Refuses later calls, and closes idle connections at once and the others after their use.
    package func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (Self.takeIdle(&state), state.waiting)
        }
        withExtendedLifetime(idle) {}
        for waiter in waiting { waiter.continuation.resume(throwing: Self.closed) }
    }

    /// Closes the pool, and ends the statements in progress, which then throw.
    package func abort() {
        close()
        for worker in state.withLock({ Array($0.used.values) }) { worker.abort() }
    }

    private static var closed: PostgreSQLError { PostgreSQLError(.closed, "the pool is closed") }

    private static func takeIdle(_ state: inout State) -> [PostgreSQLWorker] {
        defer { state.idle = [] }
        state.count -= state.idle.count
        return state.idle
    }

    private func dropIdle() {
        let idle = state.withLock { Self.takeIdle(&$0) }
        withExtendedLifetime(idle) {}
    }

    private func acquire() async throws -> PostgreSQLWorker {
        while true {
            let grant = try await grant()
            switch grant {
            case .connection(let connection):
                if await connection.isUsable { return connection }
                // The server ended the connection while it was idle.
                return try await open()
            case .opening: return try await open()
            }
        }
    }

    /// Opens a connection that is counted already.
    private func open() async throws -> PostgreSQLWorker {
        do {
            let worker = try await connect()
            state.withLock { $0.opened += 1 }
            return worker
        } catch {
            giveUp()
            throw error
        }
    }

    private func grant() async throws -> Grant {
        if let result = state.withLock({ take(&$0) }) { return try result.get() }
        let (id, limit) = state.withLock { state in
            state.lastID += 1
            return (state.lastID, patience ?? state.session.connectTimeout)
        }
        let timer = Task {
            try await Task.sleep(for: limit)
            self.endWait(id, PostgreSQLError(.exhausted, "all connections to the database are in use"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    let result = take(&state)
                    if result == nil { state.waiting.append(Waiter(id: id, continuation: continuation)) }
                    return result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            self.endWait(id, CancellationError())
        }
    }

    /// - Returns: nil if the caller has to wait.
    private func take(_ state: inout State) -> Result<Grant, any Error>? {
        if state.isClosed { return .failure(Self.closed) }
        if let connection = state.idle.popLast() { return .success(.connection(connection)) }
        guard state.count < maximum else { return nil }
        state.count += 1
        return .success(.opening)
    }

    private func endWait(_ id: Int, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: error)
    }

    private func release(_ connection: PostgreSQLWorker, isFailed: Bool = false) async {
        guard !isFailed, await connection.isUsable else { return giveUp() }
        let waiter = state.withLock { state -> Waiter? in
            if let next = Self.nextWaiter(&state) { return next }
            if state.isClosed { state.count -= 1 } else { state.idle.append(connection) }
            return nil
        }
        waiter?.continuation.resume(returning: .connection(connection))
    }

    /// Forgets a connection, and lets the next waiting caller open another one.
    private func giveUp() {
        let waiter = state.withLock { state -> Waiter? in
            if let next = Self.nextWaiter(&state) { return next }
            state.count -= 1
            return nil
        }
        waiter?.continuation.resume(returning: .opening)
    }

    private static func nextWaiter(_ state: inout State) -> Waiter? {
        state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
}
#endif
