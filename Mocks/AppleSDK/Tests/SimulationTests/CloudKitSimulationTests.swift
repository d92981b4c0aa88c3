import Foundation
import LifecycleSimulation
import Testing

/// The service's simulation with `CloudKitTransport` and the fake server: every request may be delayed, refused, throttled or
/// lost after its effect; indexes lag, operations take few records, pages are short, pushes get lost or are duplicated, and the
/// schema's roles apply.
///
/// The environment variables are those of the simulation with a store in memory: `LIFECYCLE_SIMULATION_SEED=<seed>` runs one seed
/// alone and prints its trace, `LIFECYCLE_SIMULATION_RUNS=<count>` runs more seeds. A seed replays in another process only with
/// `SWIFT_DETERMINISTIC_HASHING=1`.
@MainActor
struct CloudKitSimulationTests {
    private nonisolated static let environment = ProcessInfo.processInfo.environment

    @Test("After any faults, all states agree in the end, with CloudKit")
    func converges() async throws {
        if let seed = Self.environment["LIFECYCLE_SIMULATION_SEED"].flatMap(UInt64.init) {
            let world = try await SimulatedWorld.simulated(seed, over: CloudKitStore(seed: seed), isTracing: true)
            Issue.record(Comment(rawValue: (world.trace + world.check()).joined(separator: "\n")))
            return
        }
        let first = UInt64(Self.environment["LIFECYCLE_SIMULATION_FIRST"] ?? "") ?? 1
        let runs = UInt64(Self.environment["LIFECYCLE_SIMULATION_RUNS"] ?? "") ?? 200
        var failures = 0
        for seed in first..<(first + runs) {
            let faults = try await SimulatedWorld.simulated(seed, over: CloudKitStore(seed: seed)).check()
            guard !faults.isEmpty else { continue }
            failures += 1
            Issue.record("LIFECYCLE_SIMULATION_SEED=\(seed): \(faults.joined(separator: "; "))")
            if failures == 5 { return }
        }
    }

    @Test(
        "The same seed gives the same trace with CloudKit, if hashing is deterministic",
        .enabled(if: environment["SWIFT_DETERMINISTIC_HASHING"] != nil))
    func replays() async throws {
        for seed in [3, 1_000_003, 77_777_777] as [UInt64] {
            let first = try await SimulatedWorld.simulated(seed, over: CloudKitStore(seed: seed), isTracing: true).trace
            let second = try await SimulatedWorld.simulated(seed, over: CloudKitStore(seed: seed), isTracing: true).trace
            let same = zip(first, second).prefix { $0 == $1 }.count
            #expect(
                same == first.count,
                "they part after \(first.prefix(same + 1).suffix(3)) and \(second.prefix(same + 1).suffix(3))")
            #expect(first.count > 50)
        }
    }
}
