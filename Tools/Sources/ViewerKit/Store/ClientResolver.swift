public import TelemetryModels
public import TelemetryTransport

/// Finds clients and scenarios by name or prefix.
public struct ClientResolver: Sendable {
    private let transport: any TelemetryRecordTransport

    public init(transport: any TelemetryRecordTransport) { self.transport = transport }

    /// The client with this identifier, or the only one whose identifier has this prefix.
    /// - Throws: ``ToolFailure`` with the candidates if there is no match or more than one.
    public func client(_ text: String) async throws -> TelemetryClientRecord {
        let clients = try await transport.fetchTelemetryClients()
        if let exact = clients.first(where: { $0.clientId == text }) { return exact }
        let candidates = clients.filter { !text.isEmpty && $0.clientId.hasPrefix(text) }
        switch (candidates.count, clients.isEmpty) {
        case (1, _): return candidates[0]
        case (0, true):
            throw ToolFailure(
                .notFound, "No client \(quoted(text)). There are no clients yet; a client appears when its user opts in.")
        case (0, false):
            throw ToolFailure(.notFound, "No client \(quoted(text)). Clients: \(list(clients.map(\.clientId))).")
        default:
            throw ToolFailure(
                .notFound,
                "\(quoted(text)) is ambiguous: \(list(candidates.map(\.clientId))). Give a longer prefix.")
        }
    }

    /// The client's scenario of this name.
    /// - Throws: ``ToolFailure`` with the client's scenarios if there is no match.
    public func scenario(_ name: String, of client: TelemetryClientRecord) async throws -> TelemetryScenarioRecord {
        let scenarios = try await transport.fetchScenarios(forClient: client.clientId)
        if let found = scenarios.first(where: { $0.scenarioName == name }) { return found }
        let known = scenarios.isEmpty ? "It has no scenarios now" : "Scenarios: \(list(scenarios.map(\.scenarioName)))"
        throw ToolFailure(
            .notFound, "Client \(quoted(client.clientId)) has no scenario \(quoted(name)). \(known).")
    }

    private func quoted(_ text: String) -> String { "\"\(text.visible.fitted(to: 80))\"" }

    private func list(_ names: [String]) -> String {
        let shown = names.sorted().prefix(8).map { $0.visible.fitted(to: 40) }.joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }
}
