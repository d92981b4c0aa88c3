package import TelemetryModels

/// What a save may replace.
public enum TelemetrySavePolicy: Sendable {
    /// Nothing: `.conflict` if a record with that identifier is stored.
    case insert
    /// The version that was read: `.conflict` if another version is stored, `.notFound` if the record was removed. A record
    /// without a change tag replaces nothing.
    case ifUnchanged
    /// Any stored version.
    case overwrite

    /// The error of replacing the stored record, or nil if the policy allows it.
    package func refusal(
        of record: TelemetryRecord, over stored: TelemetryRecord?
    ) -> TelemetryTransportError? {
        switch (self, stored) {
        case (.overwrite, _), (.insert, nil): nil
        case (.insert, let stored?): .conflict(with: stored)
        case (.ifUnchanged, nil): record.changeTag == nil ? nil : .notFound(record.recordID)
        case (.ifUnchanged, let stored?): record.changeTag == stored.changeTag ? nil : .conflict(with: stored)
        }
    }
}
