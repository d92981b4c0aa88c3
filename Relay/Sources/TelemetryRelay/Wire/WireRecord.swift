import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// The JSON form of a record: `{"recordType", "recordName", "changeTag", "fields"}`.
enum WireRecord {
    /// The maximum length of a record's name and of its type, in bytes of UTF-8.
    static let maximumName = 16 << 10

    static func read(_ reader: inout JSONReader, place: String) throws -> RelayRecord {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place) must be an object.") }
        var texts: [String: String] = [:]
        var fields: [String: WireValue] = [:]
        try reader.object { key, reader in
            switch key {
            case "recordType", "recordName", "changeTag":
                guard try !reader.null() else { return }
                texts[key] = try text(&reader, "\(place).\(key)")
            case "fields":
                guard try !reader.null() else { return }
                fields = try Self.fields(&reader, "\(place).fields")
            default: try reader.skip()
            }
        }
        func required(_ name: String) throws -> String {
            guard let text = texts[name], !text.isEmpty else {
                throw Problem.invalidArgument("\(place).\(name) is missing.")
            }
            guard text.utf8.count <= maximumName else {
                throw Problem.invalidArgument("\(place).\(name) may have at most \(maximumName) bytes of UTF-8.")
            }
            return text
        }
        let recordType = try required("recordType")
        guard recordType != TelemetrySchema.recordType else {
            throw Problem.invalidArgument("\(place) is an event; send it to /v1/events.")
        }
        var record = TelemetryRecord(
            recordType: recordType, recordID: .init(recordName: try required("recordName")))
        record.changeTag = texts["changeTag"]
        for (name, value) in fields { record[name] = value.value }
        if let clientId = fields[TelemetrySchema.ClientField.clientId.rawValue] {
            guard let text = clientId.value.stringValue else {
                throw Problem.invalidArgument("\(place).fields.clientid must be a string.")
            }
            try ClientIdentifier.check(text, place: "\(place).fields.clientid")
        }
        return RelayRecord(record, dateTexts: fields.compactMapValues(\.dateText))
    }

    static func fields(_ reader: inout JSONReader, _ place: String) throws -> [String: WireValue] {
        guard try reader.kind() == .object else { throw Problem.invalidArgument("\(place) must be an object.") }
        var fields: [String: WireValue] = [:]
        try reader.object { key, reader in
            let value = try WireValue(&reader, name: "\(place).\(key)")
            // Values are compared by queries.
            if case .string(let text) = value?.value, !StreamSafeText.isSafe(text) {
                throw Problem.invalidArgument("\(DebugLogBatch.shortened("\(place).\(key)")) \(StreamSafeText.fault).")
            }
            fields[key] = value
        }
        return fields
    }

    static func text(_ reader: inout JSONReader, _ place: String) throws -> String {
        guard try reader.kind() == .string else { throw Problem.invalidArgument("\(place) must be a string.") }
        return try reader.name()
    }

    static func write(_ stored: RelayRecord, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("recordType", stored.record.recordType)
            writer.member("recordName", stored.name)
            if let tag = stored.record.changeTag { writer.member("changeTag", tag) }
            writer.key("fields")
            writer.object { writer in
                for (name, value) in stored.record.fields.sorted(by: { $0.key < $1.key }) {
                    writer.key(name)
                    WireValue.write(value, dateText: stored.dateTexts[name], to: &writer)
                }
            }
        }
    }

    static func json(_ stored: RelayRecord) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        write(stored, to: &writer)
        return writer.bytes
    }
}
