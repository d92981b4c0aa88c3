/// A value that is stored as a ``TelemetryRecord``.
public protocol TelemetryRecordConvertible: Sendable {
    /// The type of the records that hold these values.
    static var recordType: String { get }

    /// Reads a value from a record. Unknown fields are ignored.
    /// - Throws: ``TelemetryRecordError`` if the record is of another type, or if a required field is missing or of the wrong
    ///   type.
    init(record: TelemetryRecord) throws

    /// Returns a record that holds the value. Its identifier is the value's own, or random if the value has none.
    func toRecord() -> TelemetryRecord

    /// Returns the record with the value's fields set. Other fields, the identifier and the change tag are unchanged.
    /// - Throws: ``TelemetryRecordError/unexpectedRecordType(_:)`` if the record is of another type.
    func applying(to record: TelemetryRecord) throws -> TelemetryRecord
}
