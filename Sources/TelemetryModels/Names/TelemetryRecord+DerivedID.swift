/// Record identifiers derived from the records' own identifiers, so that creating the same record twice finds the first one.
///
/// ASCII, at most 255 characters, without a leading underscore: accepted by every known store.
extension TelemetryRecord.ID {
    package static func client(_ clientId: String) -> Self {
        Self(recordName: "client-\(EncodedName.encode(clientId))")
    }

    package static func scenario(_ scenarioName: String, ofClient clientId: String) -> Self {
        let client = EncodedName.encode(clientId, limit: 120)
        return Self(recordName: "scenario-\(client)-\(EncodedName.encode(scenarioName, limit: 120))")
    }

    package static func command(_ commandId: String) -> Self {
        Self(recordName: "command-\(EncodedName.encode(commandId))")
    }

    package static func rule(_ ruleId: String) -> Self {
        Self(recordName: "rule-\(EncodedName.encode(ruleId))")
    }
}
