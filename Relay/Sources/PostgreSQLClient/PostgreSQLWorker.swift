#if PostgreSQL
import Dispatch

/// A connection with a thread of its own, which its statements block.
///
/// Cancelling a task cancels its statement and ends the connection. Every method throws ``PostgreSQLError``, `CancellationError`, or
/// what its argument throws.
package actor PostgreSQLWorker {
    /// Runs the actor's work on a serial queue, whose thread may block.
    private final class Executor: SerialExecutor {
        private let queue = DispatchQueue(label: "telemetry-relay.postgresql")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }
    }

    private let executor = Executor()
    private let interrupt: PostgreSQLInterrupt
    private var connection: PostgreSQLConnection?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init() throws { interrupt = try PostgreSQLInterrupt() }

    /// Connects to the first host that accepts a connection, and applies the settings of the session.
    package static func connect(to address: PostgreSQLAddress, _ session: PostgreSQLSession) async throws -> PostgreSQLWorker {
        let worker = try PostgreSQLWorker()
        try await worker.whileCancellable { try await worker.open(address, session) }
        return worker
    }

    /// Calls `body` with the connection, on the connection's thread.
    package nonisolated func use<Value: Sendable>(
        _ body: @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await whileCancellable { try await self.perform(body) }
    }

    /// Whether the connection is open and outside a transaction, as far as it is known without asking the server.
    package var isUsable: Bool { connection?.isUsable ?? false }

    /// Ends the statement in progress, which then throws. The connection is not used again.
    package nonisolated func abort() { interrupt.fire() }

    private nonisolated func whileCancellable<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler(operation: body) { interrupt.fire() }
    }

    private func open(_ address: PostgreSQLAddress, _ session: PostgreSQLSession) throws {
        connection = try PostgreSQLConnection.open(address, session, interrupt)
    }

    private func perform<Value: Sendable>(_ body: @Sendable (PostgreSQLConnection) throws -> Value) throws -> Value {
        guard let connection else { throw PostgreSQLError(.connection, "the connection was lost") }
        return try body(connection)
    }
}
#endif
