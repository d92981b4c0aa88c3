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

    package mutating func set(_ value: TelemetryValue?, for field: some RawRepresentable<String>) {
        self[field.rawValue] = value
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
