import Foundation
import Testing

/// Clients and viewers of a store with all kinds of faults: calls are delayed, fail before or after their effect, or return after
/// their time limit; notifications are lost, duplicated or late; processes die at any await, even while they write their
/// settings. Every other world has two processes with one device's settings, which sometimes fail; an opt-out must hold in both,
/// whichever dies. Some worlds have a settings store that keeps only the three fields. In others there are leases, rules, vetoes and
/// pauses, and devices' clocks are set, even while no process runs: what is recorded, and what is in effect at the end, must follow
/// from the decisions made. After the faults everything must agree.
///
/// A seed that fails replays: `LIFECYCLE_SIMULATION_SEED=<seed>` runs it alone and prints what happened.
/// `LIFECYCLE_SIMULATION_RUNS=<count>` runs more seeds, `LIFECYCLE_SIMULATION_FIRST=<seed>` from that one on.
@MainActor
struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test("After any faults, all states agree in the end")
    func converges() async throws {
        if let seed = Self.environment["LIFECYCLE_SIMULATION_SEED"].flatMap(UInt64.init) {
            let world = try await Self.run(seed, isTracing: true)
            Issue.record(Comment(rawValue: (world.trace + world.check()).joined(separator: "\n")))
            return
        }
        let first = UInt64(Self.environment["LIFECYCLE_SIMULATION_FIRST"] ?? "") ?? 1
        let runs = UInt64(Self.environment["LIFECYCLE_SIMULATION_RUNS"] ?? "") ?? 2_000
        var failures = 0
        var (deaths, executed, events) = (0, 0, 0)
        for seed in first..<(first + runs) {
            let server = SimulatedServer()
            let world = try await Self.run(seed, over: server)
            let faults = world.check()
            deaths += world.deaths
            executed += world.executedCommands
            // One is the bystander's.
            events += server.appendedEvents - 1
            guard !faults.isEmpty else { continue }
            failures += 1
            Issue.record("LIFECYCLE_SIMULATION_SEED=\(seed): \(faults.joined(separator: "; "))")
            if failures == 5 { return }
        }
        // Worlds in which nothing happened would agree too.
        guard runs >= 100 else { return }
        for (what, count) in [("deaths", deaths), ("executed commands", executed), ("stored events", events)] {
            #expect(count > runs / 10, "\(count) \(what) in \(runs) runs")
        }
    }

    @Test("The same seed gives the same trace")
    func replays() async throws {
        for seed in [3, 1_000_003, 77_777_777, 6, 1_000_004] as [UInt64] {
            let first = try await Self.run(seed, isTracing: true)
            let second = try await Self.run(seed, isTracing: true)
            let same = zip(first.trace, second.trace).prefix { $0 == $1 }.count
            #expect(
                same == first.trace.count,
                "they part after \(first.trace.prefix(same + 1).suffix(3)) and \(second.trace.prefix(same + 1).suffix(3))")
            #expect(first.trace.count > 30)
        }
    }

    @Test("The simulation detects planted faults of leases, rules, vetoes, pauses and commands", arguments: PlantedFault.allCases)
    func detects(_ fault: PlantedFault) async throws {
        for seed in 1...UInt64(2_000) {
            let world = try await SimulatedWorld.controlled(seed, over: SimulatedServer(), planting: fault)
            if !world.check().isEmpty { return }
        }
        Issue.record("\(fault) was not detected")
    }

    private static func run(
        _ seed: UInt64, over server: SimulatedServer = SimulatedServer(), isTracing: Bool = false
    ) async throws -> SimulatedWorld {
        if !seed.isMultiple(of: 2), !seed.isMultiple(of: 3) {
            return try await SimulatedWorld.controlled(seed, over: server, isTracing: isTracing)
        }
        return try await SimulatedWorld.simulated(
            seed, over: server, hasHelpers: seed.isMultiple(of: 2), isTracing: isTracing)
    }
}
