import Foundation
import TelemetryModels

/// Checks for data of other LiveTelemetry versions.
extension StoreExamination {
    /// Finds fields and types unknown to this version, and commands unknown to a client.
    func versions(of records: [TelemetryRecord]) -> [Finding] {
        var findings: [Finding] = []
        let known = Dictionary(uniqueKeysWithValues: SchemaListing.recordTypes.map { ($0.name, Set($0.fields.map(\.name))) })
        let unknownFields = records.compactMap { record -> String? in
            guard let field = record.allKeys().first(where: { known[record.recordType]?.contains($0) == false }) else {
                return nil
            }
            return "\(field) in \(record.recordID.recordName)"
        }
        if let first = unknownFields.first {
            findings.append(
                .init(
                    .warning, "\(counted(unknownFields.count, "record")) with fields unknown to this version, first: \(first)",
                    Self.newer))
        }
        let types = unknownRecordTypes(known: Set(known.keys))
        if !types.isEmpty {
            findings.append(
                .init(.warning, "records of types unknown to this version: \(types.joined(separator: ", "))", Self.newer))
        }
        typealias Field = TelemetrySchema.CommandField
        let commands = records.filter { $0.recordType == TelemetrySchema.commandRecordType }
        let unknown = commands.filter { (try? TelemetryCommandRecord(record: $0)) == nil }
        if let first = unknown.first {
            let action = first[Field.action.rawValue]?.stringValue ?? "none"
            findings.append(
                .init(.warning, "\(counted(unknown.count, "command")) unknown to this version, first: \(action)", Self.newer))
        }
        let refused = commands.filter { command in
            let action = command[Field.action.rawValue]?.stringValue ?? ""
            return command[Field.errorMessage.rawValue]?.stringValue
                == TelemetryRecordError.invalidAction(action).errorDescription
        }
        let clients = Set(refused.compactMap { $0[Field.clientId.rawValue]?.stringValue }).sorted()
        if !refused.isEmpty {
            findings.append(
                .init(
                    .warning,
                    "\(counted(refused.count, "command")) unknown to the client: \(clients.prefix(5).joined(separator: ", "))",
                    "the viewer that sent it is newer than the client: update the client"))
        }
        return findings
    }

    /// Finds clients whose newest segment was written by another version of LiveTelemetry.
    public func writers() -> [Finding] {
        guard let directory else { return [] }
        let events = directory.appendingPathComponent("events")
        let clients = (try? FileManager.default.contentsOfDirectory(atPath: events.path).sorted()) ?? []
        let found = clients.compactMap { writer(in: events.appendingPathComponent($0)) }
        let own = LiveTelemetryVersion.version
        let others = found.filter { $0.version != own }
        guard !others.isEmpty else {
            return found.isEmpty ? [] : [.init(.ok, "all clients use LiveTelemetry \(own), as this viewer does")]
        }
        return others.map { writer in
            guard let version = writer.version else {
                return .init(
                    .warning, "client \(writer.client) uses another implementation of the file store",
                    "update the client if it has problems")
            }
            let isNewer = version.compare(own, options: .numeric) == .orderedDescending
            return .init(
                .warning, "client \(writer.client) uses LiveTelemetry \(version), this viewer uses \(own)",
                isNewer ? Self.newer : "update the client if it has problems")
        }
    }

    private static let newer = "a newer LiveTelemetry writes to this store: update this tool"

    /// The client and the version that wrote the newest segment in a client's directory.
    private func writer(in folder: URL) -> (client: String, version: String?)? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        func number(_ name: String) -> Int { Int(name.prefix { $0 != "-" }) ?? -1 }
        let newest = names.filter { $0.hasSuffix(".jsonl") && !$0.hasPrefix("-") }.max { number($0) < number($1) }
        guard let newest, let handle = try? FileHandle(forReadingFrom: folder.appendingPathComponent(newest)) else { return nil }
        defer { try? handle.close() }
        var rest = Array(((try? handle.read(upToCount: 16 << 10)) ?? nil) ?? Data())[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
                let header = object["header"] as? [String: Any]
            else { continue }
            return (header["client"] as? String ?? "–", header["library"] as? String)
        }
        return nil
    }

    private func unknownRecordTypes(known: Set<String>) -> [String] {
        guard let directory else { return [] }
        let folder = directory.appendingPathComponent("records")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? []
        let types = names.filter { !$0.hasPrefix("-") }.compactMap { name -> String? in
            let records = folder.appendingPathComponent(name)
            let files = (try? FileManager.default.contentsOfDirectory(atPath: records.path)) ?? []
            guard let file = files.first(where: { $0.hasSuffix(".json") && !$0.hasPrefix("-") }),
                let text = SmallFile.content(of: records.appendingPathComponent(file))
            else { return nil }
            return (try? JSONDecoder().decode(TelemetryRecord.self, from: text))?.recordType
        }
        return Set(types).subtracting(known).sorted()
    }
}
