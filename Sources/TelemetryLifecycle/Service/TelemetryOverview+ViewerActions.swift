public import TelemetryModels

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TelemetryOverview {
    /// What a viewer did with this client: by a command, by the approval in its record, or by a rule.
    public struct ViewerAction: Sendable, Hashable, Identifiable {
        /// The name of the command's record or of the client's record, or the names of the rule and the action.
        public let id: String
        /// What was done. An approval is ``/TelemetryModels/TelemetrySchema/CommandAction/enable``; a dump of what the flight recorder kept
        /// is ``/TelemetryModels/TelemetrySchema/CommandAction/captureScenario``.
        public let action: TelemetrySchema.CommandAction
        /// The scenario concerned; nil for actions on the whole client.
        public let scenario: String?
        /// Who did it; nil if the store does not name them.
        ///
        /// A relay stores the name of the viewer's token. In other stores, such as CloudKit and directories, viewers write any name or none.
        public let issuer: String?
        /// When this client executed the command or captured for a rule's trigger, or when the relay stored the approval. For a rule that
        /// has turned a scenario on, when it was written.
        public let date: Date
        /// The rule by which it was done; nil for a command or an approval.
        public let ruleId: String?
    }
}

extension TelemetryOverview.ViewerAction {
    /// The greatest number of actions in an overview.
    static let maximumCount = 100

    /// An executed command. Returns nil for a record of another kind.
    init?(executed record: TelemetryRecord) {
        guard let command = try? TelemetryCommandRecord(record: record), command.status == .executed else { return nil }
        self.init(
            id: record.recordID.recordName, action: command.action, scenario: command.scenarioName, issuer: command.issuer,
            date: command.executedAt ?? command.created, ruleId: nil)
    }

    /// The approval in a client's record. Returns nil if the record has none.
    init?(approvalIn client: TelemetryClientRecord) {
        guard client.isEnabled, let approved = client.approved else { return nil }
        self.init(
            id: client.recordID?.recordName ?? client.clientId, action: .enable, scenario: nil, issuer: client.approvedBy,
            date: approved, ruleId: nil)
    }

    init(_ action: TelemetrySchema.CommandAction, by rule: TelemetryRuleRecord, at date: Date) {
        self.init(
            id: "rule:\(rule.ruleId):\(action.rawValue)", action: action, scenario: rule.scenarioName, issuer: rule.issuer,
            date: date,
            ruleId: rule.ruleId)
    }
}

extension [TelemetryOverview.ViewerAction] {
    /// The newest actions, newest first.
    var newest: Self { Array(sorted { ($0.date, $0.id) > ($1.date, $1.id) }.prefix(Element.maximumCount)) }
}
