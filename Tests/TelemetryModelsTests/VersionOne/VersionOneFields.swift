import Foundation
import TelemetryModels

/// The records of version 1 of the contract, read and written by their fields' names, without any type of the library that has
/// changed since.
enum VersionOne {
    struct UnknownValue: Error, Equatable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static let actions: Set = ["enable", "disable", "delete_events", "enableScenario", "disableScenario"]
    private static let statuses: Set = ["pending", "executed", "failed"]

    /// The fields of a record in version 1.
    /// - Throws: ``UnknownValue`` with a missing field's name, or with an action or a status that version 1 does not know.
    static func fields(of record: TelemetryRecord) throws -> [String: TelemetryValue] {
        let required: Set<String>
        var optional: Set<String> = []
        switch record.recordType {
        case "TelemetryClient": required = ["clientid", "created", "isEnabled"]
        case "TelemetryScenario": required = ["clientid", "scenarioName", "isEnabled", "created"]
        case "TelemetryCommand":
            required = ["commandId", "clientid", "action", "created", "status"]
            optional = ["executedAt", "errorMessage", "scenarioName"]
        default: throw UnknownValue(record.recordType)
        }
        var fields: [String: TelemetryValue] = [:]
        for name in required.union(optional) {
            let value = try value(record[name], ofField: name)
            guard let value else {
                if required.contains(name) { throw UnknownValue(name) }
                continue
            }
            fields[name] = value
        }
        return fields
    }

    /// The record with the fields that version 1 writes: its own, also those that it removes.
    static func applying(_ fields: [String: TelemetryValue], to record: TelemetryRecord) -> TelemetryRecord {
        var changed = record
        for (name, value) in fields { changed[name] = value }
        if record.recordType == "TelemetryCommand" {
            for name in ["executedAt", "errorMessage", "scenarioName"] { changed[name] = fields[name] }
        }
        return changed
    }

    /// A field's value, in the type that version 1 requires.
    private static func value(_ value: TelemetryValue?, ofField field: String) throws -> TelemetryValue? {
        guard let value else { return nil }
        switch field {
        case "created", "executedAt": return value.dateValue.map(TelemetryValue.date)
        case "isEnabled": return value.boolValue.map(TelemetryValue.bool)
        case "action", "status":
            guard let text = value.stringValue else { return nil }
            guard (field == "action" ? actions : statuses).contains(text) else { throw UnknownValue(text) }
            return value
        default: return value.stringValue.map(TelemetryValue.string)
        }
    }
}
