import Foundation
import TelemetryModels

/// A fault of a device or its store that stands for one of the library. The simulation must detect each.
package enum PlantedFault: Sendable, CaseIterable {
    /// The logger records scenarios after their end.
    case endIgnored
    /// The logger records more detailed events than a scenario's level allows.
    case levelIgnored
    /// The logger keeps what a rule turned on when the user forbids the scenario.
    case vetoIgnoredByRule
    /// The logger records while it is paused.
    case pauseIgnored
    /// Saved scenarios have no end.
    case endNotSaved
    /// The host's decisions are not saved.
    case decisionNotSaved
    /// A new process does not know what the user forbids.
    case vetoForgotten
    /// A new process is not paused.
    case pauseForgotten
    /// After a restart the host's pause is taken for a viewer's.
    case pauseOfUnknownOrigin
    /// Pending commands are read in the opposite order.
    case commandsReversed
    /// Commands are read without their expiry.
    case commandExpiryIgnored
    /// Rules are read as applying to every client.
    case percentageIgnored
    /// Rules are read without their end.
    case ruleEndIgnored
}

extension PlantedFault {
    /// A record as a client with the fault reads it.
    func distorting(_ record: TelemetryRecord) -> TelemetryRecord {
        var record = record
        switch (self, record.recordType) {
        case (.commandsReversed, TelemetrySchema.commandRecordType):
            let created = record["created"]?.dateValue?.timeIntervalSinceReferenceDate ?? 0
            record["created"] = .date(Date(timeIntervalSinceReferenceDate: 2e9 - created))
        case (.commandExpiryIgnored, TelemetrySchema.commandRecordType), (.ruleEndIgnored, TelemetrySchema.ruleRecordType):
            record["expires"] = nil
        case (.percentageIgnored, TelemetrySchema.ruleRecordType): record["percentage"] = 100.0
        default: break
        }
        return record
    }
}
