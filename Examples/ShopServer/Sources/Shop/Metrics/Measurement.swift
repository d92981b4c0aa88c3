import CoreMetrics
import Synchronization

/// The number and the sum of a metric's values; for a meter, the last value.
final class Measurement: CounterHandler, RecorderHandler, TimerHandler, MeterHandler {
    private let values = Atomic<Int64>(0)
    private let sum = Atomic<Int64>(0)

    var count: Int64 { values.load(ordering: .relaxed) }
    var total: Int64 { sum.load(ordering: .relaxed) }

    private func add(_ value: Int64) {
        values.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(value, ordering: .relaxed)
    }

    func increment(by amount: Int64) { add(amount) }
    func reset() { sum.store(0, ordering: .relaxed) }
    func record(_ value: Int64) { add(value) }
    func record(_ value: Double) { add(Int64(value)) }
    func recordNanoseconds(_ duration: Int64) { add(duration) }
    func set(_ value: Int64) { sum.store(value, ordering: .relaxed) }
    func set(_ value: Double) { sum.store(Int64(value), ordering: .relaxed) }
    func increment(by amount: Double) { sum.wrappingAdd(Int64(amount), ordering: .relaxed) }
    func decrement(by amount: Double) { sum.wrappingSubtract(Int64(amount), ordering: .relaxed) }
}
