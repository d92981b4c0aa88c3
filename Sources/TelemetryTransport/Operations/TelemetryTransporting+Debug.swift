public import TelemetryModels

extension TelemetryTransporting {
    /// What kind of store this is, in words.
    public func detectEnvironment() async -> String { await debugInfo().environment }

    /// ``debugInfo()`` under the documents' name.
    public func getDebugInfo() async -> DebugInfo { await debugInfo() }

    /// The debug information as text, a line each.
    public func debugDatabaseInfo() async -> String {
        let info = await debugInfo()
        var lines = [
            "store: \(info.containerID)",
            "build: \(info.buildType)",
            "environment: \(info.environment)",
            "records found: \(info.testQueryResults)",
        ]
        if let first = info.firstRecordID {
            lines.append("first record: \(first) (\(info.firstRecordFields.joined(separator: ", ")))")
        }
        lines.append("events: \(info.recordCount.map(String.init) ?? "unknown")")
        if let message = info.errorMessage { lines.append("error: \(message)") }
        return lines.joined(separator: "\n")
    }
}
