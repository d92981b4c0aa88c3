public import TelemetryModels

extension TelemetryRecordTransport {
    /// Stores new scenarios. If one has no record identifier, derives it from the client identifier and the name.
    /// - Throws: ``TelemetryTransportError``: `.conflict` if the only one exists already, `.partialFailure` if some of several
    ///   could not be stored. `.invalidArgument` for a client identifier that is empty or longer than 1,024 bytes of UTF-8; then
    ///   nothing is stored.
    @discardableResult
    public func createScenarios(_ scenarios: [TelemetryScenarioRecord]) async throws -> [TelemetryScenarioRecord] {
        guard !scenarios.isEmpty else { return [] }
        let records = try scenarios.map { scenario in
            try TransportArguments.check(clientId: scenario.clientId)
            let id = scenario.recordID ?? .scenario(scenario.scenarioName, ofClient: scenario.clientId)
            return try scenario.applying(
                to: TelemetryRecord(recordType: TelemetryScenarioRecord.recordType, recordID: id))
        }
        return try await save(records, policy: .insert).map { try TelemetryScenarioRecord(record: $0) }
    }

    /// The stored scenarios of one client, or of all if it is nil, by name. Records that cannot be read as scenarios are left
    /// out.
    public func fetchScenarios(forClient clientId: String? = nil) async throws -> [TelemetryScenarioRecord] {
        if let clientId { try TransportArguments.check(clientId: clientId) }
        typealias Field = TelemetrySchema.ScenarioField
        var conditions: [String: TelemetryValue] = [:]
        conditions[Field.clientId.rawValue] = clientId.map(TelemetryValue.string)
        let query = TelemetryRecordQuery(
            recordType: TelemetryScenarioRecord.recordType, conditions: conditions, sortField: Field.scenarioName.rawValue)
        return try await records(matching: query).compactMap { try? TelemetryScenarioRecord(record: $0) }
    }

    /// Stores the state of a scenario that was read before.
    /// - Throws: ``TelemetryModels/TelemetryRecordError/missingRecordID`` for a scenario without a record identifier;
    ///   ``TelemetryTransportError`` with `.notFound` if there is no such record.
    @discardableResult
    public func updateScenario(_ scenario: TelemetryScenarioRecord) async throws -> TelemetryScenarioRecord {
        guard let id = scenario.recordID else { throw TelemetryRecordError.missingRecordID }
        try TransportArguments.check(clientId: scenario.clientId)
        return try await TelemetryScenarioRecord(record: modify(id) { try scenario.applying(to: $0) })
    }

    /// Removes every scenario of the client and returns their number.
    @discardableResult
    public func deleteScenarios(forClient clientId: String) async throws -> Int {
        try await deleteRecords(ofType: TelemetryScenarioRecord.recordType, forClient: clientId)
    }
}
