import Foundation
import TelemetryModels

/// A pending command record and the work it requests.
struct PendingCommand: Sendable, Equatable {
    enum Work: Sendable, Equatable {
        case enable, disable, deleteEvents
        case scenario(String, ScenarioChange)
        /// - Parameter lookback: In seconds; nil for all events.
        case capture(String, lookback: TimeInterval?)
        case pause, resume
        /// The command cannot be run, for this reason.
        case refuse(String)
    }

    /// A change of a scenario that a viewer requests.
    enum ScenarioChange: Sendable, Equatable {
        /// - Parameter lease: In seconds; nil if the viewer set none.
        case enable(level: TelemetryLogLevel?, lease: TimeInterval?, context: [TelemetryRuleCondition])
        case disable
        case reset
    }

    let id: TelemetryRecord.ID
    let work: Work
    /// When the command expires; nil if it does not.
    let expires: Date?

    /// Returns nil if the record is not a pending command of the client.
    init?(_ record: TelemetryRecord, clientId: String) {
        typealias Field = TelemetrySchema.CommandField
        guard record.recordType == TelemetrySchema.commandRecordType, record.string(Field.clientId) == clientId,
            record.string(Field.status) == TelemetrySchema.CommandStatus.pending.rawValue
        else { return nil }
        id = record.recordID
        expires = record.date(Field.expires)
        do {
            let command = try TelemetryCommandRecord(record: record)
            work = Self.unreadableField(of: record, command).map(Work.refuse) ?? Self.work(for: command)
        } catch {
            work = .refuse(error.localizedDescription)
        }
    }

    /// Why a command must not be run although its record can be read; nil if it may run. Recording more, or for longer, than
    /// requested is worse than not recording.
    private static func unreadableField(of record: TelemetryRecord, _ command: TelemetryCommandRecord) -> String? {
        typealias Field = TelemetrySchema.CommandField
        if record[Field.logLevel.rawValue] != nil, command.level == nil { return "The command's level is not known." }
        if record[Field.lease.rawValue] != nil, command.lease == nil { return "The lease must be a positive number of seconds." }
        if record[Field.lookback.rawValue] != nil, command.lookback == nil { return Self.invalidLookback }
        if record[Field.expires.rawValue] != nil, command.expires == nil { return "The command's expiry is not a date." }
        if command.contextConditions == .unreadable { return "The command's context conditions cannot be read." }
        return nil
    }

    private static let invalidLookback = "The lookback must be a positive number of seconds."

    private static func work(for command: TelemetryCommandRecord) -> Work {
        var change: ScenarioChange?
        switch command.action {
        case .enable: return .enable
        case .disable: return .disable
        case .deleteEvents: return .deleteEvents
        case .pause: return .pause
        case .resume: return .resume
        case .captureScenario:
            if let lookback = command.lookback, !(lookback > 0 && lookback.isFinite) { return .refuse(invalidLookback) }
        case .enableScenario:
            if let lease = command.lease, !(lease > 0 && lease.isFinite) {
                return .refuse("The lease must be a positive number of seconds.")
            }
            change = .enable(level: command.level, lease: command.lease, context: command.contextConditions)
        case .disableScenario: change = .disable
        case .resetScenario: change = .reset
        }
        guard let name = command.scenarioName, !name.isEmpty else {
            return .refuse("The command \"\(command.action.rawValue)\" names no scenario.")
        }
        guard let change else { return .capture(name, lookback: command.lookback) }
        return .scenario(name, change)
    }

    /// Whether the command has expired at the given time.
    func hasExpired(at date: Date) -> Bool {
        guard let expires else { return false }
        return !(date < expires)
    }

    /// The setting that the command changes: of the commands for one setting, only the newest is executed. Nil for a command that
    /// later ones do not replace.
    var subject: Subject? {
        switch work {
        case .enable, .disable, .deleteEvents, .capture, .refuse: nil
        case .scenario(let name, _): .scenario(name)
        case .pause, .resume: .pause
        }
    }

    enum Subject: Sendable, Hashable {
        case scenario(String)
        case pause
    }

    /// The commands to run, oldest first; those with the same date by name, those without a date last.
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

    /// The commands that a later one in the queue replaces. An expired or rejected command replaces none.
    static func superseded(
        of queue: [PendingCommand], at date: Date, isAllowed: (PendingCommand) -> Bool = { _ in true }
    ) -> Set<TelemetryRecord.ID> {
        var decided: Set<Subject> = []
        var superseded: Set<TelemetryRecord.ID> = []
        for command in queue.reversed() where !command.hasExpired(at: date) {
            guard let subject = command.subject else { continue }
            if decided.contains(subject) {
                superseded.insert(command.id)
            } else if isAllowed(command) {
                decided.insert(subject)
            }
        }
        return superseded
    }
}
