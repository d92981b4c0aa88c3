import Histogram

/// Latencies of single operations, as a histogram.
public struct Latencies {
    private var histogram = Histogram<UInt64>(highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

    public init() {}

    public mutating func record(nanoseconds: UInt64) { histogram.record(min(nanoseconds, 60_000_000_000)) }

    public mutating func merge(_ nanoseconds: [UInt64]) { for value in nanoseconds { record(nanoseconds: value) } }

    public var count: UInt64 { histogram.totalCount }

    /// The latency in nanoseconds that this percentage of the operations did not exceed.
    public func percentile(_ percentile: Double) -> UInt64 { histogram.valueAtPercentile(percentile) }

    /// The columns of ``row(_:)``.
    public static let columns = ["", "n", "p50", "p90", "p99", "p99.9", "most"]

    /// A row of a table.
    public func row(_ name: String) -> [String] {
        let values = [50, 90, 99, 99.9, 100].map { Unit.nanoseconds.text(Double(percentile($0))) }
        return [name, String(count)] + values
    }
}
