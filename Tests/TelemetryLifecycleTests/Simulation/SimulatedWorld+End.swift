import TelemetryLifecycle
import TelemetryTestSupport

/// The end of a simulation: without faults, until nothing is left to do.
extension SimulatedWorld {
    /// Ends all faults; every process then reconciles, by itself or because its host calls it.
    func calmDown() async {
        isFaulty = false
        for device in devices {
            device.isUnwritable = false
            device.isUnreadable = false
        }
        store.setFaulty(false)
        note("calm")
        for _ in 0..<4 {
            await finish()
            advance(by: .seconds(11))
        }
        await finish()
        unhang()
        for device in devices where device.process?.service == nil { start(device) }
        // Two processes need several rounds: their common deletions are complete only when neither adds to them.
        for _ in 0..<(hasHelpers ? 4 : 2) { await look() }
        guard store.consistencyDelay > .zero else { return }
        // Changes that queries missed are visible now, and actions based on those queries are repeated.
        for _ in 0..<2 {
            advance(by: store.consistencyDelay)
            await look()
        }
    }

    private func look() async {
        for process in devices.flatMap(\.processes) { process.call { await $0.reconcile() } }
        await finish()
    }

    /// Resumes everything that waits until nothing is left.
    func finish() async {
        var (idleTurns, turns) = (0, 0)
        // An open call waits for something, unless that hangs.
        while idleTurns < (hanging.isEmpty && hasOpenCalls ? 300 : 10) {
            turns += 1
            guard turns < 100_000 else { return violate("it never comes to rest") }
            await executor.turn()
            idleTurns += 1
            guard !gates.isEmpty || !deliveries.isEmpty else { continue }
            idleTurns = 0
            if gates.isEmpty { deliver() } else { passGate() }
        }
        if hanging.isEmpty, hasOpenCalls { violate("a call never returned") }
    }

    private var hasOpenCalls: Bool { devices.contains { $0.processes.contains { $0.openCalls > 0 } } }
}
