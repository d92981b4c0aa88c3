public import TelemetryModels

/// A stored record with the original strings of its dates, whose digits `Date` cannot represent.
public struct RelayRecord: Sendable, Hashable {
    public var record: TelemetryRecord
    /// The RFC 3339 strings of date fields, by field. A text without a date field of that name is not stored.
    public var dateTexts: [String: String]

    public init(_ record: TelemetryRecord, dateTexts: [String: String] = [:]) {
        self.record = record
        self.dateTexts = dateTexts
    }

    public var name: String { record.recordID.recordName }
    /// The record's client: its field `clientid`; nil if it has none.
    public var clientId: String? { record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue }
}

/// The result of a save.
public struct RelaySaveResult: Sendable, Equatable {
    /// Why a record was not saved.
    public enum Refusal: Sendable, Equatable {
        /// The policy does not allow replacing the stored record.
        case conflict(stored: RelayRecord)
        /// The version to replace no longer exists.
        case notFound
    }

    public struct Failure: Sendable, Equatable {
        public let recordName: String
        public let refusal: Refusal

        public init(recordName: String, refusal: Refusal) {
            self.recordName = recordName
            self.refusal = refusal
        }
    }

    /// The saved records in the given order, with their new change tags.
    public var saved: [RelayRecord]
    /// The failures, in the given order.
    public var failures: [Failure]

    public init(saved: [RelayRecord], failures: [Failure]) {
        self.saved = saved
        self.failures = failures
    }
}
