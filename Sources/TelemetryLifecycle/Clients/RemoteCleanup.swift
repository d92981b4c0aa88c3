import TelemetryModels
import TelemetryTransport

/// Deletes a client's data in the store, and no other client's.
struct RemoteCleanup {
    /// A step that failed.
    struct Failure: Error {
        let what: String
        let error: any Error
    }

    let transport: BoundedTransport

    /// Makes a deletion. Each step is tried even if another one failed.
    /// - Parameters:
    ///   - deletion: The deletion.
    ///   - isFirst: Whether the session has just ended, so that all events are deleted; later only that session's are.
    ///   - scenarios: The scenarios whose records are kept after the end of a session, because they were registered again.
    /// - Returns: The failed steps; empty if nothing is left to do.
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
        // The client's record first: without it no viewer sends more commands. The commands already sent are deleted last.
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
