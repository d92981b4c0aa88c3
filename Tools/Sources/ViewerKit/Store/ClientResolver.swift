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
    /// - Throws: ``ToolFailure`` with the candidates if there is no match or more than one. An alias that is also the identifier of another
    ///   client selects neither: a host chooses its identifier, and could choose one by which an operator means another.
    public func client(_ text: String) async throws -> TelemetryClientRecord {
        let clients = try await transport.fetchTelemetryClients()
        if let exact = clients.first(where: { $0.clientId == text }) {
            guard let named = aliases.identifiers[text], named != text else { return exact }
            throw ToolFailure(
                .data,
                """
                \(quoted(text)) is your alias for client \(quoted(named)), and also the identifier of another client. Give an identifier \
                or a prefix that is not an alias, or remove the alias: telemetry alias --remove \(text)
                """)
        }
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
            throw ToolFailure(.notFound, "No client \(quoted(text)). Clients: \(clients.map(\.clientId).nameList).")
        default:
            throw ToolFailure(
                .notFound,
                "\(quoted(text)) is ambiguous: \(candidates.map(\.clientId).nameList). Give a longer prefix.")
        }
    }

    /// Returns the identifier of a client that may be gone: one without a record is found by its identifier or alias if the store
    /// contains events, scenarios or commands of it.
    /// - Throws: ``ToolFailure`` as ``client(_:)`` does.
    public func identifier(_ text: String) async throws -> String {
        do { return try await client(text).clientId } catch let failure as ToolFailure where failure.code == .notFound {
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

    /// Returns the clients that the strings select: identifiers, unambiguous prefixes, aliases, or patterns with `*` and `?`.
    /// - Parameter acceptsUnknown: Whether a text that no client matches is selected as the identifier or pattern of a client that
    ///   may appear later, with a warning.
    /// - Throws: ``ToolFailure`` with the candidates for a prefix with more than one and, unless unknown clients are accepted, for a
    ///   text without a match.
    public func clients(_ texts: [String], acceptsUnknown: Bool = false) async throws -> ClientSelection {
        var selection = ClientSelection()
        for text in texts {
            let isPattern = text.contains { $0 == "*" || $0 == "?" }
            do {
                if isPattern {
                    selection.identifiers.formUnion(try await identifiers(matching: text))
                } else {
                    selection.identifiers.insert(try await identifier(text))
                }
            } catch let failure as ToolFailure where failure.code == .notFound && acceptsUnknown {
                guard try await isUnknown(text) else { throw failure }
                if !isPattern { selection.unknown.insert(aliases.identifiers[text] ?? text) }
                selection.warnings.append(failure.message)
            }
            if isPattern { selection.patterns.append(text) }
        }
        return selection
    }

    private func identifiers(matching pattern: String) async throws -> [String] {
        let clients = try await transport.fetchTelemetryClients().map(\.clientId)
        let named = aliases.identifiers.filter { $0.key.matches(pattern: pattern) }.values
        let matching = clients.filter { $0.matches(pattern: pattern) } + named
        guard matching.isEmpty else { return matching }
        let known = clients.isEmpty ? "There are no clients yet" : "Clients: \(clients.nameList)"
        throw ToolFailure(.notFound, "No client matches \(quoted(pattern)). \(known).")
    }

    /// Whether the text is a valid identifier or pattern, and no prefix of known identifiers.
    private func isUnknown(_ text: String) async throws -> Bool {
        guard !text.isEmpty, text.utf8.count <= 1_024 else { return false }
        return try await !transport.fetchTelemetryClients().contains { $0.clientId.hasPrefix(text) }
    }

    /// Returns the client's scenario with this name.
    /// - Throws: ``ToolFailure`` with the client's scenarios if there is no match.
    public func scenario(_ name: String, of client: TelemetryClientRecord) async throws -> TelemetryScenarioRecord {
        let scenarios = try await transport.fetchScenarios(forClient: client.clientId)
        if let found = scenarios.first(where: { $0.scenarioName == name }) { return found }
        let known = scenarios.isEmpty ? "It has no scenarios now" : "Scenarios: \(scenarios.map(\.scenarioName).nameList)"
        throw ToolFailure(
            .notFound, "Client \(quoted(client.clientId)) has no scenario \(quoted(name)). \(known).")
    }

    private func quoted(_ text: String) -> String { "\"\(text.visible.fitted(to: 80))\"" }
}
