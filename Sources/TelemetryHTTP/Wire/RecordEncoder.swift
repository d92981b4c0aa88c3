import Foundation
import TelemetryModels
import TelemetrySystem
import TelemetryTransport

/// Encodes bodies of the records' routes.
enum RecordEncoder {
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    static func save(_ records: ArraySlice<TelemetryRecord>, policy: TelemetrySavePolicy) throws(TelemetryTransportError) -> Data
    {
        let buffer = ByteBuffer(capacity: 4_096)
        buffer.append(literal: "{\"policy\":")
        switch policy {
        case .insert: buffer.append(literal: "\"insert\"")
        case .ifUnchanged: buffer.append(literal: "\"ifUnchanged\"")
        case .overwrite: buffer.append(literal: "\"overwrite\"")
        }
        buffer.append(literal: ",\"records\":[")
        for (index, record) in records.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            try append(record, to: buffer)
        }
        buffer.append(literal: "]}")
        return buffer.data
    }

    private static func append(_ record: TelemetryRecord, to buffer: ByteBuffer) throws(TelemetryTransportError) {
        buffer.append(literal: "{\"recordType\":")
        buffer.append(quoted: record.recordType)
        buffer.append(literal: ",\"recordName\":")
        buffer.append(quoted: record.recordID.recordName)
        if let tag = record.changeTag {
            buffer.append(literal: ",\"changeTag\":")
            buffer.append(quoted: tag)
        }
        buffer.append(literal: ",\"fields\":")
        if let field = buffer.append(wire: record.fields) {
            throw .invalidArgument(
                "The date of \"\(field)\" in the record \"\(record.recordID)\" is outside the years 1 to 9999.")
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// - Parameter cursor: the cursor of the previous page; nil for the first.
    /// - Throws: `.invalidArgument` for a date outside the years 1 to 9999.
    static func query(_ query: TelemetryRecordQuery, after cursor: String?) throws(TelemetryTransportError) -> Data {
        let buffer = ByteBuffer()
        buffer.append(literal: "{\"recordType\":")
        buffer.append(quoted: query.recordType)
        buffer.append(literal: ",\"conditions\":")
        if let field = buffer.append(wire: query.conditions) {
            throw .invalidArgument("The date in the condition on \"\(field)\" is outside the years 1 to 9999.")
        }
        if let field = query.sortField {
            buffer.append(literal: ",\"sortField\":")
            buffer.append(quoted: field)
        }
        buffer.append(literal: query.ascending ? ",\"ascending\":true" : ",\"ascending\":false")
        if let cursor {
            buffer.append(literal: ",\"after\":")
            buffer.append(quoted: cursor)
        }
        buffer.append(UInt8(ascii: "}"))
        return buffer.data
    }

    static func delete(_ ids: ArraySlice<TelemetryRecord.ID>) -> Data {
        let buffer = ByteBuffer()
        buffer.append(literal: "{\"recordNames\":[")
        for (index, id) in ids.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            buffer.append(quoted: id.recordName)
        }
        buffer.append(literal: "]}")
        return buffer.data
    }

    static func subscription(_ subscription: TelemetrySubscription) -> Data {
        let buffer = ByteBuffer()
        buffer.append(literal: "{\"recordType\":")
        buffer.append(quoted: subscription.recordType)
        if let clientId = subscription.clientId {
            buffer.append(literal: ",\"clientid\":")
            buffer.append(quoted: clientId)
        }
        buffer.append(UInt8(ascii: "}"))
        return buffer.data
    }
}
