/// A value that lives in a store as a ``TelemetryRecord``.
public protocol TelemetryRecordConvertible: Sendable {
    /// The type of the records that hold such values.
    static var recordType: String { get }

    /// Reads a value out of a record; fields that it does not know are ignored.
    /// - Throws: ``TelemetryRecordError`` where the record is of another type, or lacks a field or holds one of the wrong type.
    init(record: TelemetryRecord) throws

    /// A record that holds the value, under the value's own identifier or, where it has none, a new random one.
    func toRecord() -> TelemetryRecord

    /// The record with the value's fields set. Other fields, the identity and the change tag stay as they were.
    /// - Throws: ``TelemetryRecordError/unexpectedRecordType(_:)`` where the record is of another type.
    func applying(to record: TelemetryRecord) throws -> TelemetryRecord
}
