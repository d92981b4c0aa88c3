public import CoreMetrics
import Synchronization

/// A backend of swift-metrics that adds values up in memory, for `GET /metrics`. A server with a metrics system uses its backend
/// instead.
public final class Measurements: MetricsFactory {
    private let values = Mutex<[String: Measurement]>([:])

    public init() {}

    /// The totals, one per line.
    var text: String {
        let lines = values.withLock { $0.map { name, value in "\(name) \(value.count) \(value.total)" } }
        return lines.sorted().joined(separator: "\n") + "\n"
    }

    private func measurement(_ label: String, _ dimensions: [(String, String)]) -> Measurement {
        let pairs = dimensions.map { name, value in "\(name)=\"\(value)\"" }.joined(separator: ",")
        let name = pairs.isEmpty ? label : "\(label){\(pairs)}"
        return values.withLock { values in
            if let known = values[name] { return known }
            let new = Measurement()
            values[name] = new
            return new
        }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        measurement(label, dimensions)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        measurement(label, dimensions)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { measurement(label, dimensions) }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { measurement(label, dimensions) }

    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
    public func destroyMeter(_ handler: any MeterHandler) {}
}
