public import FakeCloudKitServer
public import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckrecord>
///
/// Not `Sendable` here, so that no code relies on it.
public final class CKRecord {
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/recordtype-swift.typealias>
    public typealias RecordType = String
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/fieldkey>
    public typealias FieldKey = String

    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/id>
    public struct ID: Hashable, Sendable {
        public let recordName: String
        /// <https://developer.apple.com/documentation/cloudkit/ckrecord/id/init(recordname:zoneid:)>, without a zone.
        ///
        /// A name that CloudKit refuses ends the process, as the SDK's exception does.
        public init(recordName: String) {
            precondition(
                (1...255).contains(recordName.utf8.count) && recordName.utf8.allSatisfy { $0 < 0x80 }
                    && !recordName.hasPrefix("_"), "\"\(recordName)\" cannot be a record's name.")
            self.recordName = recordName
        }
    }

    var stored: ServerRecord

    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/init(recordtype:recordid:)>
    public init(recordType: RecordType, recordID: ID) {
        precondition(recordType.isStandInIdentifier, "\"\(recordType)\" cannot be a record type.")
        stored = ServerRecord(type: recordType, name: recordID.recordName)
    }

    init(_ stored: ServerRecord) { self.stored = stored }

    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/recordtype-swift.property>
    public var recordType: RecordType { stored.type }
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/recordid>
    public var recordID: ID { ID(recordName: stored.name) }
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/recordchangetag>
    public var recordChangeTag: String? { stored.tag }
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/creationdate>
    public var creationDate: Date? { stored.created }
    /// <https://developer.apple.com/documentation/cloudkit/ckrecord/allkeys()>
    public func allKeys() -> [FieldKey] { Array(stored.fields.keys) }

    /// <https://developer.apple.com/documentation/cloudkit/ckrecord>
    public subscript(key: FieldKey) -> (any __CKRecordObjCValue)? {
        get { stored.fields[key]?.object }
        set { standInFields[key] = newValue?.serverValue }
    }
}

/// <https://developer.apple.com/documentation/cloudkit/ckrecordkeyvaluesetting>
///
/// Its subscripts are declared in addition to the class's own, as in the SDK, so that ambiguous calls are ambiguous here too.
public protocol CKRecordKeyValueSetting: AnyObject {
    var standInFields: [CKRecord.FieldKey: StandInValue] { get set }
}

extension CKRecordKeyValueSetting {
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { standInFields[key]?.object }
        set { standInFields[key] = newValue?.serverValue }
    }

    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { standInFields[key]?.object as? Value }
        set { standInFields[key] = newValue?.serverValue }
    }
}

extension CKRecord: CKRecordKeyValueSetting {
    public var standInFields: [FieldKey: StandInValue] {
        get { stored.fields }
        set {
            for key in newValue.keys { precondition(key.isStandInIdentifier, "\"\(key)\" cannot be a field's name.") }
            stored.fields = newValue
        }
    }
}

extension String {
    /// Letters, digits and underscores after a leading letter, at most 255: valid names of types and fields in CloudKit.
    fileprivate var isStandInIdentifier: Bool {
        guard let first = utf8.first, utf8.count <= 255 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }
        return isLetter(first)
            && utf8.allSatisfy { isLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "_") }
    }
}

/// <https://developer.apple.com/documentation/cloudkit/ckrecordvalueprotocol>
public protocol CKRecordValueProtocol {
    var serverValue: StandInValue { get }
}

/// The values that a field takes as objects; in the SDK the protocol of classes for ``CKRecordValueProtocol``.
public protocol __CKRecordObjCValue: CKRecordValueProtocol {}

/// <https://developer.apple.com/documentation/cloudkit/ckrecordvalue-swift.typealias>
public typealias CKRecordValue = __CKRecordObjCValue
