/// What events that tell of losses say, for as long as they may be lost themselves: then it is to be told again.
struct ReportedDrops {
    private var reports: [(sequence: UInt64, losses: [TelemetryLogger.DropCause: UInt64])] = []

    mutating func note(_ losses: [TelemetryLogger.DropCause: UInt64], sequence: UInt64) {
        reports.append((sequence, losses))
    }

    /// Forgets those that are delivered, or of a session that has ended.
    mutating func keep(from sequence: UInt64) { reports.removeAll { $0.sequence < sequence } }

    /// What so many events from a sequence on, which are lost, were to tell.
    mutating func takeBack(from first: UInt64, count: Int) -> [TelemetryLogger.DropCause: UInt64] {
        var losses: [TelemetryLogger.DropCause: UInt64] = [:]
        for report in reports where report.sequence >= first && report.sequence - first < UInt64(max(count, 0)) {
            losses.merge(report.losses, uniquingKeysWith: +)
        }
        reports.removeAll { $0.sequence >= first && $0.sequence - first < UInt64(max(count, 0)) }
        return losses
    }
}
