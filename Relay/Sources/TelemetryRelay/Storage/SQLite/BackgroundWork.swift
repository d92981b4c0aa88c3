import GRDB
import Logging
import ServiceLifecycle

/// Announces changes by other relays on the same database, deletes expired events, and writes deferred data.
struct BackgroundWork: Sendable {
    private static let maintenance: Duration = .seconds(60)

    let database: RelayDatabase
    let events: SQLiteEventStore
    let records: SQLiteRecordStore
    let tokens: SQLiteTokenStore
    let configuration: RelayStorageConfiguration

    func run() async throws {
        var sinceMaintenance = Duration.zero
        while await sleep() {
            sinceMaintenance += configuration.pollInterval
            await attempt("other relays' changes cannot be read") { try await announce() }
            guard sinceMaintenance >= Self.maintenance else { continue }
            sinceMaintenance = .zero
            await maintain()
        }
        await attempt("the tokens' last use cannot be written") { try await tokens.writeUses() }
    }

    /// - Returns: false if the work should end.
    private func sleep() async -> Bool {
        let slept: Void? = try? await cancelWhenGracefulShutdown {
            try await configuration.clock.sleep(for: configuration.pollInterval)
        }
        return slept != nil
    }

    private func maintain() async {
        await attempt("expired events cannot be deleted") { try await events.expire() }
        await attempt("the tokens' last use cannot be written") { try await tokens.writeUses() }
    }

    private func announce() async throws {
        let state = try await database.read(RelayState.fetch)
        events.announce(before: state.nextEvent)
        records.announce(before: state.nextChange)
        tokens.announce(changes: state.tokenChanges)
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
