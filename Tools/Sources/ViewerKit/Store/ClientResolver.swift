public import TelemetryModels
public import TelemetryTransport

/// Finds the client and the scenario that a person means.
public struct ClientResolver: Sendable {
    private let transport: any TelemetryRecordTransport

    public init(transport: any TelemetryRecordTransport) { self.transport = transport }

    /// The client with this identifier, or the only one whose identifier begins so.
    /// - Throws: ``ToolFailure`` that names the candidates where there is none or more than one.
    public func client(_ text: String) async throws -> TelemetryClientRecord {
        let clients = try await transport.fetchTelemetryClients()
        if let exact = clients.first(where: { $0.clientId == text }) { return exact }
        let candidates = clients.filter { !text.isEmpty && $0.clientId.hasPrefix(text) }
        switch (candidates.count, clients.isEmpty) {
        case (1, _): return candidates[0]
        case (0, true):
            throw ToolFailure(
                .notFound, "There is no client \(quoted(text)): no client has asked yet; its user must agree first.")
        case (0, false):
            throw ToolFailure(.notFound, "There is no client \(quoted(text)); there are: \(list(clients.map(\.clientId))).")
        default:
            throw ToolFailure(
                .notFound,
                "More than one client begins with \(quoted(text)): \(list(candidates.map(\.clientId))). Give more of it.")
        }
    }

    /// The client's scenario of this name.
    /// - Throws: ``ToolFailure`` that names the client's scenarios where it has no such one.
    public func scenario(_ name: String, of client: TelemetryClientRecord) async throws -> TelemetryScenarioRecord {
        let scenarios = try await transport.fetchScenarios(forClient: client.clientId)
        if let found = scenarios.first(where: { $0.scenarioName == name }) { return found }
        let known = scenarios.isEmpty ? "it has none now" : "it has: \(list(scenarios.map(\.scenarioName)))"
        throw ToolFailure(
            .notFound, "The client \(quoted(client.clientId)) has no scenario \(quoted(name)); \(known).")
    }

    private func quoted(_ text: String) -> String { "\"\(text.visible.fitted(to: 80))\"" }

    private func list(_ names: [String]) -> String {
        let shown = names.sorted().prefix(8).map { $0.visible.fitted(to: 40) }.joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }
}
