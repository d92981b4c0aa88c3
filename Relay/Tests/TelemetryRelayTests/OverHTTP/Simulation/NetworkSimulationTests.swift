import Foundation
import TelemetryLifecycle
import Testing

extension OverHTTP {
    /// Hosts and a viewer over a network that fails, and a relay that is killed.
    ///
    /// `RELAY_SIMULATION_SEED` runs one seed, as a failure prints it; `RELAY_SIMULATION_COUNT` is the number of seeds otherwise.
    @MainActor
    struct NetworkSimulationTests {
        private nonisolated static let seeds: [UInt64] = {
            let environment = ProcessInfo.processInfo.environment
            if let seed = environment["RELAY_SIMULATION_SEED"].flatMap({ UInt64($0) }) { return [seed] }
            return Array(1...(environment["RELAY_SIMULATION_COUNT"].flatMap { UInt64($0) } ?? 6))
        }()

        @Test(
            "With a failing network and a relay that is killed, no event is lost, stored twice, recorded while off or another client's",
            arguments: seeds)
        func converges(seed: UInt64) async throws {
            let world = try await NetworkWorld.simulated(seed)
            #expect(world.violations == [], "seed \(seed): \(world.trace.joined(separator: "; "))")
        }

        @Test("The simulation detects events that are stored twice")
        func storedTwice() async throws {
            let worlds = try await Self.worlds { try await NetworkWorld.simulated($0, planting: .storesTwice) }
            #expect(worlds.contains { $0.violations.contains { $0.contains("came twice") } })
        }

        @Test("The simulation detects a relay that loses events")
        func lost() async throws {
            let worlds = try await Self.worlds { try await NetworkWorld.simulated($0, planting: .forgetsEvents) }
            #expect(worlds.contains { $0.violations.contains { $0.contains("lost") } })
        }

        @Test("The simulation detects events of a scenario that must be off")
        func unasked() async throws {
            let worlds = try await Self.worlds { try await NetworkWorld.simulated($0, enablesUnasked: true) }
            #expect(worlds.contains { $0.violations.contains { $0.contains("recorded while off") } })
        }

        /// A fault does not show with every seed.
        private static func worlds(_ simulated: (UInt64) async throws -> NetworkWorld) async throws -> [NetworkWorld] {
            var worlds: [NetworkWorld] = []
            for seed in 1...6 as ClosedRange<UInt64> { worlds.append(try await simulated(seed)) }
            return worlds
        }
    }
}

extension TelemetryLifecycleService {
    /// Whether a scenario's events are recorded.
    func isRecording(_ scenario: String) -> Bool { status == .enabled && scenarioStates[scenario] == true }
}
