#if DEBUG
import Foundation
import TelemetryModels

extension DebugLogPipeline {
    /// Extends the running flush to everything logged so far, or starts one. Returns nil if nothing waits.
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
        var refusals = DebugLogRefusals()
        while pause == nil {
            let batch = edit { $0.takeBatch(limit: limit, through: goal, notice: notice) }
            guard !batch.isEmpty else { break }
            let notices = batch.filter { $0.lost > 0 }
            let shipment = await shipper.ship(batch.map(\.entry))
            switch shipment {
            case .stored:
                edit { $0.allowNotice() }
            case .refused(let reasons):
                // The rest of the batch is stored.
                let refused = reasons.keys.sorted().filter(batch.indices.contains)
                let dropped = refused.map { batch[$0] }
                edit { buffer in
                    if notices.isEmpty { buffer.allowNotice() }
                    buffer.withhold(dropped.filter { $0.lost > 0 })
                    buffer.lose(dropped.filter { $0.lost == 0 })
                }
                for index in refused where batch[index].lost == 0 { refusals.count(1, reasons[index] ?? "") }
            case .tooLarge where !notices.isEmpty, .rejected where !notices.isEmpty:
                // The loss report may be the reason, so the entries are sent again without it.
                edit { buffer in
                    buffer.putBack(batch.filter { $0.lost == 0 })
                    buffer.withhold(notices)
                }
            case .tooLarge where batch.count > 1:
                edit { $0.putBack(batch) }
                limit = batch.count / 2
            case .tooLarge, .rejected:
                edit { $0.lose(batch) }
                if case .rejected(let reason) = shipment {
                    refusals.count(batch.count, reason)
                } else {
                    refusals.count(batch.count, "larger than the server accepts")
                }
            case .failed(let reason, let retryAfter):
                edit { $0.putBack(batch) }
                pause = max(configuration.interval, retryAfter ?? .zero)
                report(.transportFailed, "a batch of \(batch.count) debug entries is kept: \(reason)")
            }
        }
        if let summary = refusals.summary { report(.eventsDropped, summary) }
        // No suspension from here to the end, so that the next call finds either this flush or none.
        drain = nil
        isHoldingBack = pause != nil
        startTimer(after: pause ?? configuration.interval)
    }

    private func notice(of lost: UInt64) -> DebugLogEntry {
        configuration.entry(DebugLogBuffer.lossEvent, .warn, ["count": .unsigned(lost)], at: context.now())
    }
}
#endif
