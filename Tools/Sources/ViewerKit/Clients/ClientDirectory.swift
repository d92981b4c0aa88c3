import TelemetryModels
public import TelemetryTransport

/// Reads the clients of a store.
public struct ClientDirectory: Sendable {
    private let transport: any TelemetryTransporting
    private let location: StoreLocation

    public init(_ transport: any TelemetryTransporting, at location: StoreLocation) {
        self.transport = transport
        self.location = location
    }

    /// Returns the clients with a record, newest first, then those without one that have events, scenarios or pending commands.
    ///
    /// A relay does not list the clients of its events, so a client there that has nothing but events is not found.
    public func clients() async throws -> [ClientOverview] {
        let records = try await transport.fetchTelemetryClients()
        let scenarios = Dictionary(grouping: try await transport.fetchScenarios(), by: \.clientId)
        let commands = Dictionary(grouping: try await transport.fetchCommands(), by: \.clientId)
        let known = Set(records.map(\.clientId))
        let pending = commands.filter { $0.value.contains { $0.status == .pending } }
        let mentioned = Set(scenarios.keys).union(pending.keys)
        let traces = await ClientTraceReader(location).traces(of: known.union(mentioned))
        let gone = mentioned.union(traces.keys).subtracting(known).sorted()
        var clients: [ClientOverview] = []
        for (clientId, record) in records.map({ ($0.clientId, $0) }) + gone.map({ ($0, nil) }) {
            clients.append(
                ClientOverview(
                    clientId: clientId, record: record, trace: traces[clientId], scenarios: scenarios[clientId] ?? [],
                    commands: commands[clientId] ?? [],
                    events: try await transport.countEvents(matching: .init(clientId: clientId))))
        }
        return clients.filter { $0.record != nil || $0.events > 0 || !$0.scenarios.isEmpty || $0.pendingCommands > 0 }
    }
}
