public import TelemetryModels
public import TelemetryTransport

/// Finds clients and scenarios by name or prefix.
public struct ClientResolver: Sendable {
    private let transport: any TelemetryTransporting
    private let aliases: ClientAliases

    public init(transport: any TelemetryTransporting, aliases: ClientAliases = ClientAliases()) {
        self.transport = transport
        self.aliases = aliases
    }

    /// Returns the client with this identifier or alias, or the only one whose identifier has this prefix.
    /// - Throws: ``ToolFailure`` with the candidates if there is no match or more than one.
    public func client(_ text: String) async throws -> TelemetryClientRecord {
        let clients = try await transport.fetchTelemetryClients()
        if let exact = clients.first(where: { $0.clientId == text }) { return exact }
        if let named = aliases.identifiers[text] {
            if let client = clients.first(where: { $0.clientId == named }) { return client }
            throw ToolFailure(.notFound, "Client \(quoted(named)), whose alias is \(quoted(text)), has no record: it is gone.")
        }
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

    /// Returns the identifier of a client that may be gone: one without a record is found by its identifier or alias if the store
    /// contains events, scenarios or commands of it.
    /// - Throws: ``ToolFailure`` as ``client(_:)`` does.
    public func identifier(_ text: String) async throws -> String {
        do { return try await client(text).clientId } catch let failure as ToolFailure {
            let clientId = aliases.identifiers[text] ?? text
            guard !clientId.isEmpty, clientId.utf8.count <= 1_024, try await hasTraces(clientId) else { throw failure }
            return clientId
        }
    }

    private func hasTraces(_ clientId: String) async throws -> Bool {
        if try await transport.countEvents(matching: .init(clientId: clientId)) > 0 { return true }
        if try await !transport.fetchScenarios(forClient: clientId).isEmpty { return true }
        return try await !transport.fetchCommands(for: clientId).isEmpty
    }

    /// Returns the identifiers of the clients that the texts select: identifiers, unambiguous prefixes, aliases, or patterns with
    /// `*` and `?`.
    /// - Throws: ``ToolFailure`` with the candidates for a text without a match, and for a prefix with more than one.
    public func clients(_ texts: [String]) async throws -> Set<String> {
        var found: Set<String> = []
        for text in texts {
            guard text.contains(where: { $0 == "*" || $0 == "?" }) else {
                found.insert(try await identifier(text))
                continue
            }
            let clients = try await transport.fetchTelemetryClients().map(\.clientId)
            let named = aliases.identifiers.filter { $0.key.matches(pattern: text) }.values
            let matching = clients.filter { $0.matches(pattern: text) } + named
            guard !matching.isEmpty else {
                let known = clients.isEmpty ? "There are no clients yet" : "Clients: \(list(clients))"
                throw ToolFailure(.notFound, "No client matches \(quoted(text)). \(known).")
            }
            found.formUnion(matching)
        }
        return found
    }

    /// Returns the client's scenario with this name.
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

extension String {
    /// Whether the text matches a pattern in which `*` stands for any characters and `?` for one.
    func matches(pattern: String) -> Bool {
        let (text, pattern) = (Array(self), Array(pattern))
        var (position, index) = (0, 0)
        // The index of the last `*`, and the end of the characters that it matches so far.
        var star: (index: Int, position: Int)?
        while position < text.count {
            if index < pattern.count, pattern[index] == "*" {
                star = (index, position)
                index += 1
            } else if index < pattern.count, pattern[index] == "?" || pattern[index] == text[position] {
                (position, index) = (position + 1, index + 1)
            } else if let last = star {
                star = (last.index, last.position + 1)
                (position, index) = (last.position + 1, last.index + 1)
            } else {
                return false
            }
        }
        return pattern[index...].allSatisfy { $0 == "*" }
    }
}
