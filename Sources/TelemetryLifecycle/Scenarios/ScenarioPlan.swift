import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is to be done so that the scenario records at the store say what is so here.
struct ScenarioPlan: Equatable {
    /// Scenarios without a record, by name.
    var create: [String] = []
    /// Records that say something else.
    var update: [TelemetryRecord.ID: TelemetryScenarioState] = [:]
    /// Records that should not be there, by name.
    var delete: [TelemetryRecord.ID] = []

    /// - Parameters:
    ///   - wanted: The registered scenarios and their states.
    ///   - stored: The client's scenario records.
    ///   - clientId: Whose they are.
    init(wanted: [String: TelemetryScenarioState], stored: [TelemetryScenarioRecord], clientId: String) {
        let known = stored.filter { $0.clientId == clientId && $0.recordID != nil }
        for (name, records) in Dictionary(grouping: known, by: \.scenarioName) {
            let ids = records.compactMap(\.recordID)
            // The record under the derived identity is the one that every later write meets.
            let kept = ids.first { $0 == .scenario(name, ofClient: clientId) } ?? ids.min { $0.recordName < $1.recordName }
            guard let state = wanted[name], let kept else {
                delete += ids
                continue
            }
            delete += ids.filter { $0 != kept }
            if records.contains(where: { $0.recordID == kept && !$0.says(state) }) { update[kept] = state }
        }
        let present = Set(known.map(\.scenarioName))
        create = wanted.keys.filter { !present.contains($0) }.sorted()
        delete.sort { $0.recordName < $1.recordName }
    }
}

extension TelemetryScenarioRecord {
    /// Whether the record says of its scenario what the state is.
    fileprivate func says(_ state: TelemetryScenarioState) -> Bool {
        isEnabled == state.isEnabled && level == state.level && source == state.source && endsWith(state)
    }

    /// Whether both end at the same time, as far as a store can tell: CloudKit keeps milliseconds.
    private func endsWith(_ state: TelemetryScenarioState) -> Bool {
        guard let expires, let end = state.expires else { return expires == state.expires }
        return abs(expires.timeIntervalSince(end)) < 0.002
    }
}
