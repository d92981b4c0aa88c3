#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A mutable entry of the control plane: a type, an identifier, fields, and the change tag of the version that was read.
public struct TelemetryRecord: Sendable, Hashable, Codable, Identifiable {
    /// The record's type, for example ``TelemetrySchema/clientRecordType``.
    public let recordType: String
    /// The record's identifier in the store.
    public let recordID: ID
    /// Identifies the stored version. A transport sets it at each save; nil before the first.
    public var changeTag: String?
    /// The fields that are set, by name.
    public private(set) var fields: [String: TelemetryValue]

    public var id: ID { recordID }

    /// Creates a record without fields.
    /// - Parameters:
    ///   - recordType: The record's type; one of those in ``TelemetrySchema`` for the package's own records.
    ///   - recordID: The record's identifier within the store; random by default.
    public init(recordType: String, recordID: ID = ID(recordName: UUID().uuidString)) {
        self.recordType = recordType
        self.recordID = recordID
        self.fields = [:]
    }

    /// The field's value; setting nil removes the field.
    public subscript(field: String) -> TelemetryValue? {
        get { fields[field] }
        set { fields[field] = newValue }
    }

    /// The names of the fields that are set, sorted.
    public func allKeys() -> [String] { fields.keys.sorted() }

    private enum CodingKeys: String, CodingKey {
        case recordType
        case recordID = "recordName"
        case changeTag
        case fields
    }
}
