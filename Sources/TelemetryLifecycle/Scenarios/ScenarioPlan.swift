import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The changes that update the scenario records in the store to the local states.
struct ScenarioPlan: Equatable {
    /// Scenarios without a record, by name.
    var create: [String] = []
    /// Records with another state.
    var update: [TelemetryRecord.ID: TelemetryScenarioState] = [:]
    /// Records that should not exist, by name.
    var delete: [TelemetryRecord.ID] = []

    /// - Parameters:
    ///   - wanted: The registered scenarios and their states.
    ///   - stored: The client's scenario records.
    ///   - clientId: The client.
    init(wanted: [String: TelemetryScenarioState], stored: [TelemetryScenarioRecord], clientId: String) {
        let known = stored.filter { $0.clientId == clientId && $0.recordID != nil }
        for (name, records) in Dictionary(grouping: known, by: \.scenarioName) {
            let ids = records.compactMap(\.recordID)
            // Later writes use the record with the derived identifier.
            let kept = ids.first { $0 == .scenario(name, ofClient: clientId) } ?? ids.min { $0.recordName < $1.recordName }
            guard let state = wanted[name], let kept else {
                delete += ids
                continue
            }
            delete += ids.filter { $0 != kept }
            if records.contains(where: { $0.recordID == kept && !$0.matches(state) }) { update[kept] = state }
        }
        let present = Set(known.map(\.scenarioName))
        create = wanted.keys.filter { !present.contains($0) }.sorted()
        delete.sort { $0.recordName < $1.recordName }
    }
}

extension TelemetryScenarioRecord {
    /// Whether the record has the state.
    fileprivate func matches(_ state: TelemetryScenarioState) -> Bool {
        isEnabled == state.isEnabled && level == state.level && source == state.source
            && contextConditions == state.contextConditions && endsWith(state)
    }

    /// Whether both expire at the same time, to a store's precision: CloudKit keeps milliseconds.
    private func endsWith(_ state: TelemetryScenarioState) -> Bool {
        guard let expires, let end = state.expires else { return expires == state.expires }
        return abs(expires.timeIntervalSince(end)) < 0.002
    }
}
