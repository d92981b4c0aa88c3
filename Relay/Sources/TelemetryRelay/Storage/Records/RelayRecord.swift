public import TelemetryModels

/// A record as it is stored: the record, and the texts that its dates came with, whose digits a `Date` cannot hold.
public struct RelayRecord: Sendable, Hashable {
    public var record: TelemetryRecord
    /// The RFC 3339 texts of date fields, by field. A text without a date field of its name is not stored.
    public var dateTexts: [String: String]

    public init(_ record: TelemetryRecord, dateTexts: [String: String] = [:]) {
        self.record = record
        self.dateTexts = dateTexts
    }

    public var name: String { record.recordID.recordName }
    /// Whose record it is: its field `clientid`; nil where it has none.
    public var clientId: String? { record[TelemetrySchema.ClientField.clientId.rawValue]?.stringValue }
}

/// What became of a save.
public struct RelaySaveResult: Sendable, Equatable {
    /// Why a record was not saved.
    public enum Refusal: Sendable, Equatable {
        /// The policy forbids to replace what is stored, which this is.
        case conflict(stored: RelayRecord)
        /// The version to replace is gone.
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

    /// The records saved, in the order given, with their new change tags.
    public var saved: [RelayRecord]
    /// The others, in the order given.
    public var failures: [Failure]

    public init(saved: [RelayRecord], failures: [Failure]) {
        self.saved = saved
        self.failures = failures
    }
}
