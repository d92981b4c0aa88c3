/// The losses that waiting events report. If such an event is lost itself, its losses are reported again.
struct ReportedDrops {
    private var reports: [(sequence: UInt64, losses: [TelemetryLogger.DropCause: UInt64])] = []

    mutating func note(_ losses: [TelemetryLogger.DropCause: UInt64], sequence: UInt64) {
        reports.append((sequence, losses))
    }

    /// Removes the reports before a sequence, which are delivered or of a session that has ended.
    mutating func keep(from sequence: UInt64) { reports.removeAll { $0.sequence < sequence } }

    /// Removes the reports among `count` lost events and returns their losses.
    mutating func takeBack(from first: UInt64, count: Int) -> [TelemetryLogger.DropCause: UInt64] {
        var losses: [TelemetryLogger.DropCause: UInt64] = [:]
        for report in reports where report.sequence >= first && report.sequence - first < UInt64(max(count, 0)) {
            losses.merge(report.losses, uniquingKeysWith: +)
        }
        reports.removeAll { $0.sequence >= first && $0.sequence - first < UInt64(max(count, 0)) }
        return losses
    }
}
