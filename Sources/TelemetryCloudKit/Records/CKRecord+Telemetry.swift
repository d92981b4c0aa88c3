#if canImport(CloudKit)
import CloudKit
import Foundation
import TelemetryModels
import TelemetryTransport

/// Converts between records of all types and CloudKit's records.
extension CKRecord {
    /// Creates a new record, or a new version of a stored one with its identifier and tag.
    convenience init(filledFrom record: TelemetryRecord, type: String? = nil) throws {
        let name = record.recordID.recordName
        guard !name.isEmpty else { throw TelemetryTransportError.invalidArgument("A record's name must not be empty.") }
        let type = type ?? record.recordType
        guard CloudKitName.isIdentifier(type) else {
            throw TelemetryTransportError.invalidArgument("\"\(type)\" is not a valid CloudKit record type.")
        }
        self.init(recordType: type, recordID: CKRecord.ID(recordName: CloudKitName.name(for: name)))
        try fill(from: record)
    }

    /// Sets the fields to the record's, and removes those that it does not have.
    func fill(from record: TelemetryRecord) throws {
        let present = Set(allKeys())
        var overflow = CloudKitOverflow()
        for (field, value) in record.fields {
            let kind = CloudKitField.kind(of: field, in: record.recordType)
            if let kind, kind.holds(value) || present.contains(field) {
                set(value, for: field)
            } else if kind == nil, present.contains(field), !CloudKitField.isOwn(field) {
                // A field that already has this type keeps it.
                set(value, for: field)
            } else {
                overflow.fields = (overflow.fields ?? [:]).merging([field: value]) { _, new in new }
            }
        }
        for field in present where record[field] == nil && !CloudKitField.isOwn(field) && value(of: field, kind: nil) != nil {
            self[field] = nil as (any CKRecordValue)?
        }
        if CloudKitName.recordName(from: recordID.recordName) == nil { overflow.name = record.recordID.recordName }
        do {
            self[CloudKitField.overflow] = try overflow.text()
        } catch {
            throw TelemetryTransportError.invalidArgument(
                "The record \"\(record.recordID)\" has a value that JSON cannot represent.")
        }
    }

    /// The record in the transport-independent form.
    var telemetryRecord: TelemetryRecord {
        let overflow = (self[CloudKitField.overflow] as? String).flatMap(CloudKitOverflow.init(text:))
        let name = CloudKitName.recordName(from: recordID.recordName) ?? overflow?.name ?? recordID.recordName
        var record = TelemetryRecord(recordType: recordType, recordID: .init(recordName: name))
        record.changeTag = recordChangeTag
        for field in allKeys() where !CloudKitField.isOwn(field) {
            record[field] = value(of: field, kind: CloudKitField.kind(of: field, in: recordType))
        }
        for (field, value) in overflow?.fields ?? [:] where record[field] == nil { record[field] = value }
        if let exactTime { record[TelemetrySchema.Field.eventTimestamp.rawValue] = .date(exactTime) }
        return record
    }

    /// An event's exact time, if the record's date was derived from it.
    var exactTime: Date? {
        get {
            guard let bits = (self[CloudKitField.exactTime] as? NSNumber)?.int64Value,
                let date = self[TelemetrySchema.Field.eventTimestamp.rawValue] as? Date
            else { return nil }
            let exact = Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: bits)))
            return abs(exact.timeIntervalSince(date)) <= 0.001 ? exact : nil
        }
        set {
            self[CloudKitField.exactTime] = newValue.map {
                Int64(bitPattern: $0.timeIntervalSinceReferenceDate.bitPattern)
            }
        }
    }

    /// Strings are stored in one spelling, so that queries find every spelling; Booleans as 0 and 1.
    private func set(_ value: TelemetryValue, for field: String) {
        switch value {
        case .string(let text): self[field] = CanonicalForm.text(of: text)
        case .int(let number): self[field] = number
        case .double(let number): self[field] = number
        case .bool(let flag): self[field] = Int64(flag ? 1 : 0)
        case .date(let date): self[field] = date
        }
    }

    /// Returns nil for a value that a `TelemetryValue` cannot hold: a reference, an asset, a list.
    private func value(of field: String, kind: CloudKitField.Kind?) -> TelemetryValue? {
        let stored: (any CKRecordValue)? = self[field]
        if let text = stored as? String { return .string(text) }
        if let date = stored as? Date { return .date(date) }
        guard let number = stored as? NSNumber else { return nil }
        // NSNumber converts freely between its kinds; only its `objCType` distinguishes them.
        if ["d", "f"].contains(String(cString: number.objCType)) { return .double(number.doubleValue) }
        if kind == .bool, [0, 1].contains(number.int64Value) { return .bool(number.int64Value == 1) }
        return .int(number.int64Value)
    }
}
#endif
