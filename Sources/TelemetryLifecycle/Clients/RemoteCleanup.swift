import TelemetryModels
import TelemetryTransport

/// Deletes what a client has at the store, and nothing that is anybody else's.
struct RemoteCleanup {
    /// A step that failed.
    struct Failure: Error {
        let what: String
        let error: any Error
    }

    let transport: BoundedTransport

    /// Deletes. Each step is tried even where another failed.
    /// - Parameters:
    ///   - deletion: What to delete.
    ///   - isFirst: Whether the session has only just ended, so that all events go; later on, only those of that session.
    ///   - scenarios: The scenarios whose records stay after the end of a session, because they were registered anew.
    /// - Returns: what failed; empty where nothing is left to do.
    func perform(
        _ deletion: TelemetryPendingWork.Deletion, isFirst: Bool = false, keeping scenarios: Set<String>
    ) async -> [Failure] {
        let clientId = deletion.clientId
        var failures: [Failure] = []
        func attempt(_ what: String, _ step: () async throws -> Void) async {
            do { try await step() } catch { failures.append(Failure(what: what, error: error)) }
        }

        guard deletion.sessionEnd == nil else {
            if !deletion.eventsOnly {
                await attempt("scenarios") {
                    try await delete(TelemetrySchema.scenarioRecordType, of: clientId) { record in
                        record[TelemetrySchema.ScenarioField.scenarioName.rawValue]?.stringValue.map { !scenarios.contains($0) }
                            ?? true
                    }
                }
            }
            guard !deletion.scenariosOnly else { return failures }
            await attempt("events") {
                try await transport.deleteEvents(of: clientId, until: isFirst ? nil : deletion.sessionEnd)
                guard !isFirst else { return }
                for session in deletion.sessions { try await transport.deleteEvents(of: clientId, session: session) }
            }
            return failures
        }
        // The record first: a client that no viewer sees gets no more commands, and those that it got go last.
        await attempt("client record") { try await delete(TelemetrySchema.clientRecordType, of: clientId) }
        await attempt("subscriptions") {
            try await transport.deleteSubscription(withID: NotificationFilter.commandSubscriptionID(for: clientId))
            try await transport.deleteSubscription(withID: NotificationFilter.clientSubscription(for: clientId).id)
        }
        await attempt("scenarios") { try await delete(TelemetrySchema.scenarioRecordType, of: clientId) }
        await attempt("events") { try await transport.deleteEvents(of: clientId) }
        await attempt("commands") {
            try await delete(TelemetrySchema.commandRecordType, of: clientId) { $0.recordID != deletion.command }
        }
        return failures
    }

    private func delete(
        _ recordType: String, of clientId: String, where condition: (TelemetryRecord) -> Bool = { _ in true }
    ) async throws {
        let ids = try await transport.ownRecords(ofType: recordType, clientId: clientId).filter(condition).map(\.recordID)
        if !ids.isEmpty { try await transport.deleteRecords(withIDs: ids) }
    }
}
