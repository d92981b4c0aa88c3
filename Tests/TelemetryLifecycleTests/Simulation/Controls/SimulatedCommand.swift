import Foundation
import TelemetryModels

/// A viewer's command on a scenario or the pause, and what is known of its execution.
@MainActor
final class SimulatedCommand {
    /// What commands replace each other in.
    enum Subject: Hashable { case scenario(String), pause }

    let record: TelemetryCommandRecord
    /// The step at which a process first read it before applying it.
    private(set) var firstRead: Int?
    /// How often telemetry had ended on the device by then.
    private(set) var endCount = 0
    /// The numbers of the processes that read it.
    private(set) var readers: Set<Int> = []
    /// Its status after it has ended, and the step at which that was written.
    var outcome: (status: TelemetrySchema.CommandStatus, step: Int)?
    /// The dates, on the device's clock, at which it may have been applied.
    private var dates: ClosedRange<Date>?
    private var clockChanges = 0
    /// Whether the user or the host may have forbidden it at some time, and whether they may not have.
    private(set) var mayBeForbidden = false
    private(set) var mayBeAllowed = false

    init(_ record: TelemetryCommandRecord) { self.record = record }

    var id: TelemetryRecord.ID { .command(record.commandId) }

    var subject: Subject? {
        switch record.action {
        case .enableScenario, .disableScenario, .resetScenario: record.scenarioName.map(Subject.scenario)
        case .pause, .resume: .pause
        default: nil
        }
    }

    /// Whether a process may have applied it without storing that.
    var mayBeApplied: Bool { firstRead != nil && outcome == nil }

    /// Whether it had expired when it was created, on any device's clock.
    var hasAlwaysExpired: Bool { record.expires.map { $0 < record.created - 7_000 } ?? false }

    /// Whether it can expire during the simulation.
    var canExpire: Bool { record.expires.map { $0 < record.created + 1_000_000 } ?? false }

    func read(byProcess number: Int, step: Int, at date: Date, clockChanges: Int, endCount: Int) {
        if firstRead == nil {
            firstRead = step
            self.endCount = endCount
            self.clockChanges = clockChanges
        }
        readers.insert(number)
        note(at: date)
    }

    /// Notes the device's time while it may be applied.
    func note(at date: Date) {
        guard firstRead != nil, outcome == nil else { return }
        dates = min(dates?.lowerBound ?? date, date)...max(dates?.upperBound ?? date, date)
    }

    /// Notes whether it may be forbidden, by each of the possible states.
    func note(forbidden: [Bool]) {
        guard outcome == nil else { return }
        mayBeForbidden = mayBeForbidden || forbidden.contains(true)
        mayBeAllowed = mayBeAllowed || forbidden.contains(false)
    }

    /// The decision that it makes on its scenario; nil if it drops the earlier one.
    func decision(under policy: ViewerLimits) -> ExpectedDecision? {
        switch record.action {
        case .enableScenario:
            let lease = [record.lease, policy.lease].compactMap(\.self).min()
            return ExpectedDecision(
                isEnabled: true, level: min(record.level ?? .diagnostic, policy.level), source: .viewer,
                end: lease.flatMap { lease in dates.map { $0.lowerBound + lease...$0.upperBound + lease } },
                clockChanges: clockChanges)
        case .disableScenario: return ExpectedDecision(isEnabled: false, source: .viewer)
        default: return nil
        }
    }
}
