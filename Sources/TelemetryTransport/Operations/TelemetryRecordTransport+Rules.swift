public import TelemetryModels

extension TelemetryRecordTransport {
    /// Stores a new rule. If it has no record identifier, derives one from its `ruleId`.
    /// - Throws: ``TelemetryTransportError`` with `.conflict` if the rule exists.
    @discardableResult
    public func createRule(_ rule: TelemetryRuleRecord) async throws -> TelemetryRuleRecord {
        let record = try rule.applying(
            to: TelemetryRecord(recordType: TelemetryRuleRecord.recordType, recordID: rule.recordID ?? .rule(rule.ruleId)))
        return try await TelemetryRuleRecord(record: insert(record))
    }

    /// Returns the stored rules for one scenario or for all, oldest first. Records that cannot be read as rules are skipped.
    public func fetchRules(forScenario scenarioName: String? = nil) async throws -> [TelemetryRuleRecord] {
        typealias Field = TelemetrySchema.RuleField
        let query = TelemetryRecordQuery(
            recordType: TelemetryRuleRecord.recordType,
            conditions: scenarioName.map { [Field.scenarioName.rawValue: .string($0)] } ?? [:])
        // Sorted here, because the field is not indexed and there are few rules.
        return try await records(matching: query).compactMap { try? TelemetryRuleRecord(record: $0) }
            .sorted { ($0.created, $0.ruleId) < ($1.created, $1.ruleId) }
    }

    /// Stores every field of a rule that was read before.
    /// - Throws: ``TelemetryModels/TelemetryRecordError/missingRecordID`` for a rule without a record identifier;
    ///   ``TelemetryTransportError`` with `.notFound` if there is no such record.
    @discardableResult
    public func updateRule(_ rule: TelemetryRuleRecord) async throws -> TelemetryRuleRecord {
        guard let id = rule.recordID else { throw TelemetryRecordError.missingRecordID }
        return try await TelemetryRuleRecord(record: modify(id) { try rule.applying(to: $0) })
    }

    /// Removes a rule; a missing rule is not an error.
    public func deleteRule(recordID: TelemetryRecord.ID) async throws {
        try await deleteRecords(withIDs: [recordID])
    }
}
