import TelemetryModels

extension TelemetrySubscriptionTransport {
    /// Subscribes to the scenarios of all clients, with the identifier "TelemetryScenario-All".
    @discardableResult
    public func createScenarioSubscription() async throws -> TelemetrySubscription.ID {
        try await subscribeToAll(TelemetrySchema.scenarioRecordType)
    }

    /// Subscribes to the records of all clients, with the identifier "TelemetryClient-All".
    @discardableResult
    public func createClientRecordSubscription() async throws -> TelemetrySubscription.ID {
        try await subscribeToAll(TelemetrySchema.clientRecordType)
    }

    /// Subscribes to all rules, with the identifier "TelemetryRule-All".
    @discardableResult
    public func createRuleSubscription() async throws -> TelemetrySubscription.ID {
        try await subscribeToAll(TelemetrySchema.ruleRecordType)
    }

    /// Subscribes to the commands for one client, with the identifier "TelemetryCommand-" followed by the client's.
    /// - Throws: ``TelemetryTransportError`` with `.invalidArgument` for an identifier that is empty or longer than 1,024
    ///   bytes of UTF-8.
    @discardableResult
    public func createCommandSubscription(for clientId: String) async throws -> TelemetrySubscription.ID {
        try TransportArguments.check(clientId: clientId)
        return try await save(
            TelemetrySubscription(
                id: commandSubscriptionID(for: clientId), recordType: TelemetrySchema.commandRecordType, clientId: clientId))
    }

    /// Removes a subscription to commands; a missing subscription is not an error.
    public func removeCommandSubscription(_ subscriptionID: TelemetrySubscription.ID) async throws {
        try await deleteSubscription(withID: subscriptionID)
    }

    /// The identifier of the client's subscription to its commands, or nil if there is none.
    public func fetchCommandSubscription(for clientId: String) async throws -> TelemetrySubscription.ID? {
        try TransportArguments.check(clientId: clientId)
        return try await subscription(withID: commandSubscriptionID(for: clientId))?.id
    }

    /// Removes a subscription; a missing subscription is not an error.
    public func removeSubscription(_ subscriptionID: TelemetrySubscription.ID) async throws {
        try await deleteSubscription(withID: subscriptionID)
    }

    /// Returns `id` if such a subscription is stored, otherwise nil.
    public func fetchSubscription(id: TelemetrySubscription.ID) async throws -> TelemetrySubscription.ID? {
        try await subscription(withID: id)?.id
    }

    private func subscribeToAll(_ recordType: String) async throws -> TelemetrySubscription.ID {
        try await save(TelemetrySubscription(id: "\(recordType)-All", recordType: recordType))
    }

    private func commandSubscriptionID(for clientId: String) -> TelemetrySubscription.ID {
        "\(TelemetrySchema.commandRecordType)-\(clientId)"
    }
}
