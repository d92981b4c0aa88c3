import Foundation
import TelemetryModels
import TelemetryTestSupport

/// A rule that a viewer wrote, and its evaluation independent of the library's.
struct SimulatedRule {
    let ruleId: String
    let scenario: String
    var level: TelemetryLogLevel
    /// The value of the devices' attribute `group` to which it applies; nil for all.
    let group: String?
    var percentage: Double
    var expires: Date?
    var isEnabled = true

    /// The value of a device's attribute `group`.
    static func group(ofDevice number: Int) -> String { number.isMultiple(of: 2) ? "even" : "odd" }

    var record: TelemetryRuleRecord {
        TelemetryRuleRecord(
            recordID: .rule(ruleId), ruleId: ruleId, scenarioName: scenario, level: level,
            conditions: group.map { [TelemetryRuleCondition("group", .equals, [$0])] } ?? [], percentage: percentage,
            created: TelemetryFixtures.date, expires: expires, isEnabled: isEnabled)
    }

    /// Whether it applies to a client of a device at a time on the device's clock.
    func applies(to clientId: String, ofDevice number: Int, at date: Date) -> Bool {
        guard isEnabled, expires.map({ date < $0 }) ?? true, group.map({ $0 == Self.group(ofDevice: number) }) ?? true
        else { return false }
        return TelemetryRuleRecord.position(ofClient: clientId, inRule: ruleId) < percentage
    }
}
