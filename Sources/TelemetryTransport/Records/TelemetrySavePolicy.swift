package import TelemetryModels

/// What a save may replace.
public enum TelemetrySavePolicy: Sendable {
    /// Nothing: `.conflict` where a record with that identity is stored.
    case insert
    /// The version that was read: `.conflict` where another is stored, `.notFound` where that one is gone. A record without a
    /// change tag expects that none is stored.
    case ifUnchanged
    /// Whatever is stored.
    case overwrite

    /// The error of saving over what is stored, or nil where the policy allows it.
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
