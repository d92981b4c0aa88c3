#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A client that asked to send telemetry, and whether the viewer lets it.
public struct TelemetryClientRecord: TelemetryRecordConvertible, Equatable {
    /// What reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.clientRecordType

    /// The stored record's identity; nil for a client that was not stored yet.
    public let recordID: TelemetryRecord.ID?
    /// The client's identifier, which the client generated.
    public var clientId: String
    /// When telemetry was requested.
    public var created: Date
    /// Whether the viewer approved the client.
    public var isEnabled: Bool

    /// Creates a client's record; it is stored by a transport's `createTelemetryClient(_:)`.
    public init(recordID: TelemetryRecord.ID? = nil, clientId: String, created: Date = .now, isEnabled: Bool) {
        self.recordID = recordID
        self.clientId = clientId
        self.created = created
        self.isEnabled = isEnabled
    }

    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.ClientField
        self.init(
            recordID: record.recordID,
            clientId: try record.requiredString(Field.clientId),
            created: try record.requiredDate(Field.created),
            isEnabled: try record.requiredBool(Field.isEnabled))
    }

    public func toRecord() -> TelemetryRecord {
        filled(TelemetryRecord(recordType: Self.recordType, optionalID: recordID))
    }

    public func applying(to record: TelemetryRecord) throws -> TelemetryRecord {
        try record.requireType(Self.recordType)
        return filled(record)
    }

    private func filled(_ record: TelemetryRecord) -> TelemetryRecord {
        typealias Field = TelemetrySchema.ClientField
        var record = record
        record.set(.string(clientId), for: Field.clientId)
        record.set(.date(created), for: Field.created)
        record.set(.bool(isEnabled), for: Field.isEnabled)
        return record
    }
}
