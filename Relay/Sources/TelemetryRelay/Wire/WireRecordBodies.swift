import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// The bodies of requests about records.
enum WireRecordBodies {
    /// `{"policy": …, "records": […]}`.
    static func save(
        _ body: some Sequence<UInt8>, limit: Int
    ) throws -> (policy: TelemetrySavePolicy, records: [RelayRecord]) {
        var policy: TelemetrySavePolicy?
        var records: [RelayRecord]?
        try object(body) { key, reader in
            switch key {
            case "policy": policy = try Self.policy(WireRecord.text(&reader, key))
            case "records":
                var names: Set<String> = []
                records = try Self.array(&reader, key) { index, reader in
                    guard index < limit else { throw Problem.tooLarge("A save has at most \(limit) records.") }
                    let record = try WireRecord.read(&reader, place: "records[\(index)]")
                    guard names.insert(record.record.recordID.recordName).inserted else {
                        throw Problem.invalidArgument("records[\(index)] has the same name as another record of the save.")
                    }
                    return record
                }
            default: try reader.skip()
            }
        }
        guard let policy else { throw Problem.invalidArgument("policy is missing.") }
        guard let records else { throw Problem.invalidArgument("records is missing.") }
        return (policy, records)
    }

    /// `{"recordType", "conditions": {field: value}, "sortField", "ascending", "limit", "after"}`.
    static func query(
        _ body: some Sequence<UInt8>, limits: RelayLimits
    ) throws -> (query: TelemetryRecordQuery, page: RelayRecordPageRequest) {
        var query = TelemetryRecordQuery(recordType: "")
        var page = RelayRecordPageRequest(bytes: limits.recordPageBytes)
        try object(body) { key, reader in
            switch key {
            case "recordType": query.recordType = try WireRecord.text(&reader, key)
            case "sortField": query.sortField = try WireRecord.text(&reader, key)
            case "conditions": query.conditions = try WireRecord.fields(&reader, key).mapValues(\.value)
            case "ascending":
                guard try reader.kind() == .bool else { throw Problem.invalidArgument("ascending must be true or false.") }
                query.ascending = try reader.bool()
            case "limit": page.limit = try Self.number(&reader, key, 1...limits.page)
            case "after": page.after = RelayRecordCursor(rawValue: try WireRecord.text(&reader, key))
            default: try reader.skip()
            }
        }
        guard !query.recordType.isEmpty else { throw Problem.invalidArgument("recordType is missing.") }
        return (query, page)
    }

    /// `{"recordNames": […]}`.
    static func delete(_ body: some Sequence<UInt8>, limit: Int) throws -> [String] {
        var names: [String]?
        try object(body) { key, reader in
            guard key == "recordNames" else { return try reader.skip() }
            names = try Self.array(&reader, key) { index, reader in
                guard index < limit else { throw Problem.tooLarge("A deletion has at most \(limit) names.") }
                return try WireRecord.text(&reader, "recordNames[\(index)]")
            }
        }
        guard let names else { throw Problem.invalidArgument("recordNames is missing.") }
        return names
    }

    /// `{"recordType", "clientid"}`.
    static func subscription(_ body: some Sequence<UInt8>, id: String) throws -> TelemetrySubscription {
        var recordType: String?
        var clientId: String?
        try object(body) { key, reader in
            switch key {
            case "recordType": recordType = try WireRecord.text(&reader, key)
            case "clientid": clientId = try WireRecord.text(&reader, key)
            default: try reader.skip()
            }
        }
        guard let recordType, !recordType.isEmpty else { throw Problem.invalidArgument("recordType is missing.") }
        if let clientId { try ClientIdentifier.check(clientId, place: "clientid") }
        return TelemetrySubscription(id: id, recordType: recordType, clientId: clientId)
    }

    /// Reads an object and skips members that are `null`.
    static func object(
        _ body: some Sequence<UInt8>, _ member: (String, inout JSONReader) throws -> Void
    ) throws {
        try JSONReader.read(body) { reader in
            guard try reader.kind() == .object else { throw Problem.invalidArgument("The body must be an object.") }
            try reader.object { key, reader in
                guard try !reader.null() else { return }
                try member(key, &reader)
            }
        }
    }

    static func array<Element>(
        _ reader: inout JSONReader, _ name: String, _ element: (Int, inout JSONReader) throws -> Element
    ) throws -> [Element] {
        guard try reader.kind() == .array else { throw Problem.invalidArgument("\(name) must be an array.") }
        var elements: [Element] = []
        try reader.array { reader in elements.append(try element(elements.count, &reader)) }
        return elements
    }

    static func number(_ reader: inout JSONReader, _ name: String, _ range: ClosedRange<Int>) throws -> Int {
        if try reader.kind() == .number {
            switch try reader.number() {
            case .int(let number): if let number = Int(exactly: number), range.contains(number) { return number }
            case .double(let number): if let number = Int(exactly: number), range.contains(number) { return number }
            }
        }
        throw Problem.invalidArgument("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }

    private static func policy(_ text: String) throws -> TelemetrySavePolicy {
        switch text {
        case "insert": .insert
        case "ifUnchanged": .ifUnchanged
        case "overwrite": .overwrite
        default: throw Problem.invalidArgument("policy must be insert, ifUnchanged or overwrite.")
        }
    }
}
