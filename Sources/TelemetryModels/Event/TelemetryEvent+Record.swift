#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TelemetryEvent: TelemetryRecordConvertible {
    /// Reads an event. The name, the session and the time are required; the other fields have the defaults of
    /// ``init(eventId:clientId:sessionId:sequence:name:timestamp:device:threadId:property1:attributes:scenario:level:)``, and the
    /// record's name replaces a missing identifier. An unknown level is read as `.info`.
    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.Field
        let sequence = record[Field.sequence.rawValue]?.intValue ?? 0
        self.init(
            eventId: record.string(Field.eventId) ?? record.recordID.recordName,
            clientId: record.string(Field.clientId),
            sessionId: try record.requiredString(Field.sessionId),
            sequence: UInt64(max(sequence, 0)),
            name: try record.requiredString(Field.eventName),
            timestamp: try record.requiredDate(Field.eventTimestamp),
            device: TelemetryDeviceInfo(record: record),
            threadId: record.string(Field.threadId) ?? CurrentThread.identifier,
            property1: record.string(Field.property1),
            attributes: record.string(Field.attributes).flatMap(Self.attributes(fromJSON:)) ?? [:],
            scenario: record.string(Field.scenario),
            level: record.string(Field.logLevel).flatMap(TelemetryLogLevel.init(rawValue:)) ?? .info)
    }

    public func toRecord() -> TelemetryRecord {
        filled(TelemetryRecord(recordType: Self.recordType, recordID: .init(recordName: eventId)))
    }

    public func applying(to record: TelemetryRecord) throws -> TelemetryRecord {
        try record.requireType(Self.recordType)
        return filled(record)
    }

    private func filled(_ record: TelemetryRecord) -> TelemetryRecord {
        typealias Field = TelemetrySchema.Field
        var record = record
        record.set(.string(eventId), for: Field.eventId)
        record.set(clientId.map(TelemetryValue.string), for: Field.clientId)
        record.set(.string(sessionId), for: Field.sessionId)
        record.set(.int(Int64(sequence)), for: Field.sequence)
        record.set(.string(name), for: Field.eventName)
        record.set(.date(timestamp), for: Field.eventTimestamp)
        record.set(.string(device.deviceType), for: Field.deviceType)
        record.set(.string(device.deviceName), for: Field.deviceName)
        record.set(.string(device.deviceModel), for: Field.deviceModel)
        record.set(.string(device.osVersion), for: Field.osVersion)
        record.set(.string(device.appVersion), for: Field.appVersion)
        record.set(.string(threadId), for: Field.threadId)
        record.set(property1.map(TelemetryValue.string), for: Field.property1)
        record.set(attributes.isEmpty ? nil : Self.json(from: attributes).map(TelemetryValue.string), for: Field.attributes)
        record.set(scenario.map(TelemetryValue.string), for: Field.scenario)
        record.set(.string(level.rawValue), for: Field.logLevel)
        return record
    }

    /// Attributes as JSON text with sorted keys. A date outside the years 1 to 9999, which has no stored form, becomes a number
    /// of seconds since 1970.
    static func json(from attributes: [String: TelemetryValue]) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let storable = attributes.mapValues { value in
            guard case .date(let date) = value, TimestampFormat.string(from: date) == nil else { return value }
            return .double(date.timeIntervalSince1970)
        }
        return (try? encoder.encode(storable)).map { String(decoding: $0, as: UTF8.self) }
    }

    static func attributes(fromJSON text: String) -> [String: TelemetryValue]? {
        try? JSONDecoder().decode([String: TelemetryValue].self, from: Data(text.utf8))
    }
}

extension TelemetryDeviceInfo {
    /// The device in the record; missing fields have the values of this device.
    fileprivate init(record: TelemetryRecord) {
        typealias Field = TelemetrySchema.Field
        let current = Self.current
        self.init(
            deviceType: record.string(Field.deviceType) ?? current.deviceType,
            deviceName: record.string(Field.deviceName) ?? current.deviceName,
            deviceModel: record.string(Field.deviceModel) ?? current.deviceModel,
            osVersion: record.string(Field.osVersion) ?? current.osVersion,
            appVersion: record.string(Field.appVersion) ?? current.appVersion)
    }
}
