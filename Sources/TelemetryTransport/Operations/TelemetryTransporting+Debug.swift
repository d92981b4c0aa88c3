public import TelemetryModels

extension TelemetryTransporting {
    /// A description of the kind of store.
    public func detectEnvironment() async -> String { await debugInfo().environment }

    /// Equivalent to ``debugInfo()``.
    public func getDebugInfo() async -> DebugInfo { await debugInfo() }

    /// The debug information as text, one item per line.
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

    /// The debug information of a store, computed from its clients and events.
    package func debugInfo(containerID: String, environment: String) async -> DebugInfo {
        var clients: [TelemetryRecord] = []
        var count: Int?
        var message: String?
        do {
            clients = try await records(matching: .init(recordType: TelemetrySchema.clientRecordType))
            count = try await countEvents(matching: .all)
        } catch {
            message = "\(error)"
        }
        return DebugInfo(
            containerID: containerID, buildType: BuildType.current, environment: environment,
            testQueryResults: clients.count, firstRecordID: clients.first?.recordID.recordName,
            firstRecordFields: clients.first?.allKeys() ?? [], recordCount: count, errorMessage: message)
    }
}
