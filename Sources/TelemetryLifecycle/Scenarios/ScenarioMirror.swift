import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Updates the scenario records in the store to the local states.
struct ScenarioMirror {
    let transport: BoundedTransport
    let now: @Sendable () -> Date

    /// Updates all of the client's records. Writes only the differences.
    func align(_ wanted: [String: TelemetryScenarioState], of clientId: String) async throws {
        let stored = try await transport.fetchScenarios(forClient: clientId)
        let plan = ScenarioPlan(wanted: wanted, stored: stored, clientId: clientId)
        if !plan.delete.isEmpty { try await transport.deleteRecords(withIDs: plan.delete) }
        try await create(plan.create, states: wanted, clientId: clientId)
        for (id, state) in plan.update.sorted(by: { $0.key.recordName < $1.key.recordName }) {
            try await write(state, to: id)
        }
    }

    /// Updates the record of one scenario.
    func align(_ name: String, state: TelemetryScenarioState, of clientId: String) async throws {
        do {
            try await write(state, to: .scenario(name, ofClient: clientId))
        } catch let error as TelemetryTransportError where error.code == .notFound {
            // The record is missing, or has an identifier that another writer chose.
            let stored = try await transport.fetchScenarios(forClient: clientId).filter { $0.scenarioName == name }
            let plan = ScenarioPlan(wanted: [name: state], stored: stored, clientId: clientId)
            try await create(plan.create, states: [name: state], clientId: clientId)
            for (id, state) in plan.update { try await write(state, to: id) }
        }
    }

    private func create(_ names: [String], states: [String: TelemetryScenarioState], clientId: String) async throws {
        guard !names.isEmpty else { return }
        let created = now()
        let records = names.map { name in
            let state = states[name] ?? TelemetryScenarioState()
            return TelemetryScenarioRecord(
                clientId: clientId, scenarioName: name, isEnabled: state.isEnabled, created: created, level: state.level,
                expires: state.expires, source: state.source, contextConditions: state.contextConditions)
        }
        do {
            try await transport.createScenarios(records)
        } catch let error as TelemetryTransportError where error.code == .conflict || error.code == .partialFailure {
            guard error.failures.values.allSatisfy({ $0.code == .conflict }) else { throw error }
            // The records exist, because an index lagged or another process was first. They get the local states.
            for name in names {
                try await write(states[name] ?? TelemetryScenarioState(), to: .scenario(name, ofClient: clientId))
            }
        }
    }

    private func write(_ state: TelemetryScenarioState, to id: TelemetryRecord.ID) async throws {
        typealias Field = TelemetrySchema.ScenarioField
        _ = try await transport.modify(id) { stored in
            var record = stored
            // The schema stores this flag as Int64, 0 or 1.
            record.set(.int(state.isEnabled ? 1 : 0), for: Field.isEnabled)
            let standard = TelemetryScenarioState()
            record.set(
                .string(state.level.rawValue), for: Field.logLevel, unlessDefault: .string(standard.level.rawValue))
            record.set(state.expires.map(TelemetryValue.date), for: Field.expires)
            record.set(
                .string(state.source.description), for: Field.source, unlessDefault: .string(standard.source.description))
            record.set(state.contextConditions.storedContext, for: Field.contextConditions)
            return record
        }
    }
}
