#if DEBUG
import Foundation
import TelemetryModels

extension DebugLogLane {
    /// Lets the flush under way cover everything logged so far, or starts one; nil where nothing waits.
    func startFlush() -> Task<Void, Never>? {
        goal = buffer.lastNumber
        if let drain { return drain }
        guard !buffer.isEmpty else { return nil }
        stopTimer()
        let task = Task { await self.runFlush() }
        drain = task
        return task
    }

    private func runFlush() async {
        var limit = max(1, configuration.batchSize)
        var pause: Duration?
        while pause == nil {
            let batch = edit { $0.takeBatch(limit: limit, through: goal, notice: notice) }
            guard !batch.isEmpty else { break }
            let shipment = await shipper.ship(batch.map(\.entry))
            switch shipment {
            case .tooLarge where batch.count > 1:
                edit { $0.putBack(batch) }
                limit = max(1, batch.count / 2)
            case .failed(let reason, let retryAfter):
                edit { $0.putBack(batch) }
                pause = max(configuration.interval, retryAfter ?? .zero)
                report(.transportFailed, "a batch of \(batch.count) debug entries is kept: \(reason)")
            default:
                lose(batch, refusedBy: shipment)
            }
        }
        // From here to the end nothing suspends: whoever logs next finds either this flush or none.
        drain = nil
        isHoldingBack = pause != nil
        startTimer(after: pause ?? configuration.interval)
    }

    /// Counts what was refused for good; the rest of the batch is stored.
    private func lose(_ batch: [DebugLogBuffer.Item], refusedBy shipment: DebugLogShipment) {
        let dropped: [DebugLogBuffer.Item]
        let reason: String
        switch shipment {
        case .stored, .failed: return
        case .refused(let reasons):
            dropped = reasons.keys.sorted().filter(batch.indices.contains).map { batch[$0] }
            reason = reasons.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
        case .refusedWholly(let why): (dropped, reason) = (batch, why)
        case .tooLarge: (dropped, reason) = (batch, "larger than what the server takes")
        }
        edit { $0.lose(dropped) }
        report(.eventsDropped, "\(dropped.count) of \(batch.count) debug entries were refused: \(reason)")
    }

    private func notice(of lost: UInt64) -> DebugLogEntry {
        configuration.entry(DebugLogBuffer.lossEvent, .warn, ["count": .unsigned(lost)], at: context.now())
    }
}
#endif
