public import TelemetryModels
public import TelemetryTransport

extension TelemetryRecordTransport {
    /// Changes a rule as it is stored. If another writer changed the rule meanwhile, reads and changes it again.
    ///
    /// - Returns: The rule as it was stored.
    /// - Throws: ``ToolFailure`` for a rule with values that this version cannot read, because they would be kept instead of the new
    ///   ones; ``TelemetryTransport/TelemetryTransportError`` with `.notFound` if there is no such rule, with `.conflict` if other
    ///   writers changed the rule more than a thousand times meanwhile; `CancellationError`; errors of `change`.
    public func updateRule(
        recordID: TelemetryRecord.ID, _ change: (inout TelemetryRuleRecord) throws -> Void
    ) async throws -> TelemetryRuleRecord {
        var attempts = 0
        while true {
            try Task.checkCancellation()
            guard let stored = try await record(withID: recordID) else {
                throw TelemetryTransportError(code: .notFound, message: "The rule was removed from the store.")
            }
            var rule = try TelemetryRuleRecord(record: stored)
            guard rule.isReadable else {
                throw ToolFailure(
                    .data,
                    "Rule \(rule.ruleId.visible) has values that this version cannot read, so it was not changed. Use a newer "
                        + "version of telemetry, or remove the rule and add a new one.")
            }
            try change(&rule)
            let changed = try rule.applying(to: stored)
            do {
                let saved = try await save([changed], policy: .ifUnchanged)
                return try TelemetryRuleRecord(record: saved.first ?? changed)
            } catch let error as TelemetryTransportError where error.code == .conflict && attempts < 1_000 {
                attempts += 1
            }
        }
    }
}
