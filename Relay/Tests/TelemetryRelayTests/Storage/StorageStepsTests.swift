import Logging
import Synchronization
import TelemetryTestSupport
import Testing

@testable import TelemetryRelay

struct StorageStepsTests {
    @Test("A failure of background work is logged once, and again after another one or a success")
    func failures() async throws {
        let lines = KeepingLogHandler.Lines()
        let clock = ManualClock()
        var configuration = RelayStorageConfiguration()
        configuration.clock = clock
        configuration.logger = Logger(label: "test") { _ in KeepingLogHandler(lines) }
        let outcomes: [(any Error)?] = [
            RelayStorageError.full, RelayStorageError.full, CancellationError(), RelayStorageError.full, RelayStorageError.busy,
            RelayStorageError.full, nil, RelayStorageError.full,
        ]
        let round = Mutex(0)
        let step = StorageSteps.Step(failure: "cannot") {
            let index = round.withLock { round in
                defer { round += 1 }
                return round
            }
            if let error = outcomes[index] { throw error }
        }
        let work = StorageSteps(configuration: configuration, frequent: [], background: [step], maintenance: [])
        await withTaskGroup { group in
            group.addTask { await work.run() }
            for _ in outcomes {
                await clock.sleepers(atLeast: 3)
                clock.advance(by: configuration.pollInterval)
            }
            await clock.sleepers(atLeast: 3)
            group.cancelAll()
        }
        let (full, busy) = (RelayStorageError.full.description, RelayStorageError.busy.description)
        #expect(lines.all == [full, busy, full, full].map { "cannot \(["error": Logger.MetadataValue.string($0)])" })
    }
}
