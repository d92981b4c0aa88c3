#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How the record types read their fields: a field of the wrong type counts as missing.
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

    /// The number of a field that the schema calls a Double, where a whole number is one too.
    package func number(_ field: some RawRepresentable<String>) -> Double? { self[field.rawValue]?.numberValue }

    package mutating func set(_ value: TelemetryValue?, for field: some RawRepresentable<String>) {
        self[field.rawValue] = value
    }

    /// Sets a field that version 1 does not have. A record that lacks it means the default: there it is left out, so that a store
    /// whose schema is still version 1's takes the record.
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
    /// A record under the given identity, or a random one where there is none.
    package init(recordType: String, optionalID: ID?) {
        if let optionalID {
            self.init(recordType: recordType, recordID: optionalID)
        } else {
            self.init(recordType: recordType)
        }
    }
}
