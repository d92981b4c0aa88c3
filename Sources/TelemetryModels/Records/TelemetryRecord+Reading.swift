#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads fields for the record types: a field of the wrong type counts as missing.
extension TelemetryRecord {
    package func requireType(_ expected: String) throws(TelemetryRecordError) {
        guard recordType == expected else { throw .unexpectedRecordType(recordType) }
    }

    package func requiredString(_ field: some RawRepresentable<String>) throws(TelemetryRecordError) -> String {
        guard let value = self[field.rawValue]?.stringValue else { throw .missingField(field.rawValue) }
        return value
    }

    package func requiredBool(_ field: some RawRepresentable<String>) throws(TelemetryRecordError) -> Bool {
        guard let value = self[field.rawValue]?.boolValue else { throw .missingField(field.rawValue) }
        return value
    }

    package func requiredDate(_ field: some RawRepresentable<String>) throws(TelemetryRecordError) -> Date {
        guard let value = self[field.rawValue]?.dateValue else { throw .missingField(field.rawValue) }
        return value
    }

    package func string(_ field: some RawRepresentable<String>) -> String? { self[field.rawValue]?.stringValue }

    package func date(_ field: some RawRepresentable<String>) -> Date? { self[field.rawValue]?.dateValue }

    package func bool(_ field: some RawRepresentable<String>) -> Bool? { self[field.rawValue]?.boolValue }

    /// The number in a field of the schema's type Double, which may also hold an integer.
    package func number(_ field: some RawRepresentable<String>) -> Double? { self[field.rawValue]?.numberValue }

    package mutating func set(_ value: TelemetryValue?, for field: some RawRepresentable<String>) {
        self[field.rawValue] = value
    }

    /// Sets a field whose absence means the default, which is therefore not written.
    package mutating func set(
        _ value: TelemetryValue, for field: some RawRepresentable<String>, unlessDefault standard: TelemetryValue
    ) {
        if value != standard || self[field.rawValue] != nil { self[field.rawValue] = value }
    }
}

extension TelemetryValue {
    /// The number of a `.double` or an `.int`, otherwise nil.
    package var numberValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }
}

extension TelemetryRecord {
    /// Creates a record with the given identifier, or with a random one if it is nil.
    package init(recordType: String, optionalID: ID?) {
        if let optionalID {
            self.init(recordType: recordType, recordID: optionalID)
        } else {
            self.init(recordType: recordType)
        }
    }
}
