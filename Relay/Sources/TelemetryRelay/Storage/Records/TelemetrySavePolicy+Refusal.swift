import TelemetryModels
import TelemetryTransport

extension TelemetrySavePolicy {
    /// The reason why a record may not replace the stored one; nil if it may.
    func refusal(of record: TelemetryRecord, over stored: RelayRecord?) -> RelaySaveResult.Refusal? {
        switch (self, stored) {
        case (.overwrite, _), (.insert, nil): nil
        case (.insert, let stored?): .conflict(stored: stored)
        case (.ifUnchanged, nil): record.changeTag == nil ? nil : .notFound
        case (.ifUnchanged, let stored?): record.changeTag == stored.record.changeTag ? nil : .conflict(stored: stored)
        }
    }
}
