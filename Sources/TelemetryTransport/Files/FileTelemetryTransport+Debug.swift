public import TelemetryModels

extension FileTelemetryTransport {
    /// Whether the directory is a store of this version that can be read and written. Records of any type can be stored.
    public func validateSchema() async -> Bool {
        do {
            _ = try StoreFormat(layout: layout, system: system).prepare()
            _ = try system.list(layout.records)
            let probe = "\(layout.directory)/-\(EventIdentifier.randomPrefix())"
            defer { try? system.remove(probe) }
            try system.open(probe, for: .create).write([UInt8(ascii: "\n")])
            return true
        } catch {
            return false
        }
    }

    public func debugInfo() async -> DebugInfo {
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
            containerID: layout.directory, buildType: BuildType.current, environment: "files in a directory",
            testQueryResults: clients.count, firstRecordID: clients.first?.recordID.recordName,
            firstRecordFields: clients.first?.allKeys() ?? [], recordCount: count, errorMessage: message)
    }
}
