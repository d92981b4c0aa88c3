#if PostgreSQL
import Logging
import PostgreSQLClient
import ServiceLifecycle

/// Announces changes by other relays of the same store, deletes expired events, and writes deferred data.
struct PostgreSQLBackgroundWork: Sendable {
    private static let maintenance: Duration = .seconds(60)

    let database: PostgreSQLDatabase
    let events: PostgreSQLEventStore
    let records: PostgreSQLRecordStore
    let tokens: PostgreSQLTokenStore
    let listener: PostgreSQLListener
    let configuration: RelayStorageConfiguration

    /// Works until the task is cancelled.
    func run() async throws {
        let (retries, retry) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask { await listener.run(retries: retries) }
            await work(retry)
            group.cancelAll()
        }
    }

    private func work(_ retry: AsyncStream<Void>.Continuation) async {
        var sinceMaintenance = Duration.zero
        while await sleep() {
            sinceMaintenance += configuration.pollInterval
            retry.yield()
            await attempt("other relays' changes cannot be read") { try await announce() }
            guard sinceMaintenance >= Self.maintenance else { continue }
            sinceMaintenance = .zero
            await maintain()
        }
    }

    private func maintain() async {
        await attempt("the tokens' last use cannot be written") { try await tokens.writeUses() }
        await attempt("expired events cannot be deleted") { try await events.expire() }
    }

    /// - Returns: false if the work should end.
    private func sleep() async -> Bool {
        let slept: Void? = try? await cancelWhenGracefulShutdown {
            try await configuration.clock.sleep(for: configuration.pollInterval)
        }
        return slept != nil
    }

    private func announce() async throws {
        let row = try await database.read { connection in
            try await connection.execute(
                "SELECT next_change, token_changes, COALESCE((SELECT MAX(number) FROM event), 0) FROM relay_state"
            ).row
        }
        records.announce(before: try row.int(0))
        tokens.announce(changes: try row.int(1))
        events.announcer.announceNewest(try row.int(2))
    }

    /// Logs a failure; the next round tries again.
    private func attempt(_ failure: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            configuration.logger.error("\(failure)", metadata: ["error": "\(error)"])
        }
    }
}
#endif
