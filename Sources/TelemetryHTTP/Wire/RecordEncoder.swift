import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

/// Encodes bodies of the records' routes.
enum RecordEncoder {
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    static func save(_ records: ArraySlice<TelemetryRecord>, policy: TelemetrySavePolicy) throws(TelemetryTransportError) -> Data
    {
        try object { body throws(TelemetryTransportError) in
            switch policy {
            case .insert: body.member("policy", "insert")
            case .ifUnchanged: body.member("policy", "ifUnchanged")
            case .overwrite: body.member("policy", "overwrite")
            }
            body.key("records")
            try body.array(records, write)
        }
    }

    private static func write(_ record: TelemetryRecord, to writer: inout JSONWriter) throws(TelemetryTransportError) {
        try writer.object { writer throws(TelemetryTransportError) in
            writer.member("recordType", record.recordType)
            writer.member("recordName", record.recordID.recordName)
            if let tag = record.changeTag { writer.member("changeTag", tag) }
            writer.key("fields")
            if let field = writer.wireValues(record.fields) {
                throw .invalidArgument(
                    "The date of \"\(field)\" in the record \"\(record.recordID)\" is outside the years 1 to 9999.")
            }
        }
    }

    /// - Parameter cursor: the cursor of the previous page; nil for the first.
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    static func query(_ query: TelemetryRecordQuery, after cursor: String?) throws(TelemetryTransportError) -> Data {
        try object { body throws(TelemetryTransportError) in
            body.member("recordType", query.recordType)
            body.key("conditions")
            if let field = body.wireValues(query.conditions) {
                throw .invalidArgument("The date in the condition on \"\(field)\" is outside the years 1 to 9999.")
            }
            if let field = query.sortField { body.member("sortField", field) }
            body.member("ascending", query.ascending)
            if let cursor { body.member("after", cursor) }
        }
    }

    static func delete(_ ids: ArraySlice<TelemetryRecord.ID>) -> Data {
        object { body in
            body.key("recordNames")
            body.array(ids) { id, names in names.string(id.recordName) }
        }
    }

    static func subscription(_ subscription: TelemetrySubscription) -> Data {
        object { body in
            body.member("recordType", subscription.recordType)
            if let clientId = subscription.clientId { body.member("clientid", clientId) }
        }
    }

    private static func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) -> Data {
        var writer = JSONWriter()
        try writer.object(body)
        return writer.withBytes { Data($0) }
    }
}
