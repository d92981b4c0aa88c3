import Foundation
import TelemetryModels

/// A command record that waits to be run, and what to do about it.
struct PendingCommand: Sendable, Equatable {
    enum Work: Sendable, Equatable {
        case enable, disable, deleteEvents
        case enableScenario(String)
        case disableScenario(String)
        /// It cannot be run; the viewer reads why.
        case refuse(String)
    }

    let id: TelemetryRecord.ID
    let work: Work

    /// Nil where the record is no pending command of the client.
    init?(_ record: TelemetryRecord, clientId: String) {
        typealias Field = TelemetrySchema.CommandField
        guard record.recordType == TelemetrySchema.commandRecordType, record.string(Field.clientId) == clientId,
            record.string(Field.status) == TelemetrySchema.CommandStatus.pending.rawValue
        else { return nil }
        id = record.recordID
        do {
            work = Self.work(for: try TelemetryCommandRecord(record: record))
        } catch {
            work = .refuse(error.localizedDescription)
        }
    }

    private static func work(for command: TelemetryCommandRecord) -> Work {
        switch command.action {
        case .enable: return .enable
        case .disable: return .disable
        case .deleteEvents: return .deleteEvents
        case .enableScenario, .disableScenario:
            guard let name = command.scenarioName, !name.isEmpty else {
                return .refuse("The command \"\(command.action.rawValue)\" names no scenario.")
            }
            if command.action == .disableScenario { return .disableScenario(name) }
            // Recording more, or longer, than was asked for is worse than not recording.
            guard command.level == nil, command.lease == nil, command.expires == nil else {
                return .refuse("This client does not support a level, a lease or an expiry date.")
            }
            return .enableScenario(name)
        case .pause, .resume, .resetScenario, .captureScenario:
            return .refuse("This client does not support the command \"\(command.action.rawValue)\".")
        }
    }

    /// What to run, oldest first; those of one moment by name, and what bears no date last.
    static func queue(of records: [TelemetryRecord], clientId: String) -> [PendingCommand] {
        let created = TelemetrySchema.CommandField.created
        return
            records
            .sorted {
                let left = $0.date(created) ?? .distantFuture
                let right = $1.date(created) ?? .distantFuture
                return left == right ? $0.recordID.recordName < $1.recordID.recordName : left < right
            }
            .compactMap { PendingCommand($0, clientId: clientId) }
    }
}
