/// Identities that follow from what a record is, so that creating the same thing twice meets the first one.
///
/// ASCII, at most 255 characters, never beginning with an underscore: what every known store accepts as a name.
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
