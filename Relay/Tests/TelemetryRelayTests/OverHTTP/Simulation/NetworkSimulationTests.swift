import Foundation
import TelemetryLifecycle
import Testing

extension OverHTTP {
    /// Hosts and a viewer over a network that fails, and a relay that is killed.
    ///
    /// `RELAY_SIMULATION_SEED` runs one seed, as a failure prints it; `RELAY_SIMULATION_COUNT` says how many run otherwise.
    @MainActor
    struct NetworkSimulationTests {
        private nonisolated static let seeds: [UInt64] = {
            let environment = ProcessInfo.processInfo.environment
            if let seed = environment["RELAY_SIMULATION_SEED"].flatMap({ UInt64($0) }) { return [seed] }
            return Array(1...(environment["RELAY_SIMULATION_COUNT"].flatMap { UInt64($0) } ?? 6))
        }()

        @Test(
            "Over a network that fails and a relay that is killed, nothing is lost, doubled, recorded while off or another's",
            arguments: seeds)
        func story(seed: UInt64) async throws {
            let world = try await NetworkWorld.told(seed)
            #expect(world.violations == [], "seed \(seed): \(world.trace.joined(separator: "; "))")
        }

        @Test("The simulation notices a relay that forgets events")
        func plantedFault() async throws {
            let worlds = try await Self.worlds { try await NetworkWorld.told($0, planting: .forgetsEvents) }
            #expect(worlds.contains { $0.violations.contains { $0.contains("lost") } })
        }

        @Test("The simulation notices events of a scenario that is to be off")
        func unasked() async throws {
            let worlds = try await Self.worlds { try await NetworkWorld.told($0, enablesUnasked: true) }
            #expect(worlds.contains { $0.violations.contains { $0.contains("recorded while off") } })
        }

        /// A fault need not show in every story.
        private static func worlds(_ told: (UInt64) async throws -> NetworkWorld) async throws -> [NetworkWorld] {
            var worlds: [NetworkWorld] = []
            for seed in 1...6 as ClosedRange<UInt64> { worlds.append(try await told(seed)) }
            return worlds
        }
    }
}

extension TelemetryLifecycleService {
    /// Whether a scenario's events are recorded.
    func isRecording(_ scenario: String) -> Bool { status == .enabled && scenarioStates[scenario] == true }
}
