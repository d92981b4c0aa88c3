import TelemetryLifecycle
import TelemetryTestSupport

/// The end: what goes wrong is over, and everybody has their turn until nothing is left to do.
extension SimulatedWorld {
    /// Nothing goes wrong any more; every process looks once more, by itself or because its host asks.
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
        // One process more than once after the other: what both have to delete goes when neither adds to it any more.
        for _ in 0..<(hasHelpers ? 4 : 2) { await look() }
        guard store.consistencyDelay > .zero else { return }
        // What queries missed shows up, and what was done on their word is done again.
        for _ in 0..<2 {
            advance(by: store.consistencyDelay)
            await look()
        }
    }

    private func look() async {
        for process in devices.flatMap(\.processes) { process.call { await $0.reconcile() } }
        await finish()
    }

    /// Lets everything go on until nothing is left to go on.
    func finish() async {
        var idleTurns = 0
        // As long as a call is open there is something to wait for, unless what it waits for hangs.
        while idleTurns < (hanging.isEmpty && hasOpenCalls ? 300 : 10) {
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
