import Synchronization

/// The relay's counters.
public final class RelayMetrics: Sendable {
    private struct Request: Hashable {
        let method: String
        let route: String
        let status: Int

        var labels: String { "method=\"\(method)\",route=\"\(route)\",status=\"\(status)\"" }
    }

    private struct Durations {
        var buckets = [Int](repeating: 0, count: RelayMetrics.bounds.count)
        var sum = 0.0
        var count = 0
    }

    private struct State {
        var requests: [Request: Int] = [:]
        var durations: [String: Durations] = [:]
        var entries: [String: Int] = ["stored": 0, "duplicate": 0, "rejected": 0]
        var events: [String: Int] = ["stored": 0, "duplicate": 0]
        var deliveries = Dictionary(uniqueKeysWithValues: DeliveryResult.allCases.map { ($0, 0) })
    }

    /// What became of a delivery to a webhook.
    enum DeliveryResult: String, CaseIterable {
        case delivered
        /// An attempt failed.
        case failed
        /// It is not repeated any more.
        case abandoned
    }

    /// In seconds.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
    private let state = Mutex(State())

    public init() {}

    func count(method: String, route: String, status: Int, seconds: Double) {
        state.withLock { state in
            state.requests[Request(method: method, route: route, status: status), default: 0] += 1
            for index in Self.bounds.indices where seconds <= Self.bounds[index] {
                state.durations[route, default: Durations()].buckets[index] += 1
            }
            state.durations[route, default: Durations()].sum += seconds
            state.durations[route, default: Durations()].count += 1
        }
    }

    func count(_ receipt: DebugLogReceipt) {
        state.withLock { state in
            state.entries["stored", default: 0] += receipt.stored
            state.entries["duplicate", default: 0] += receipt.duplicates
            state.entries["rejected", default: 0] += receipt.rejected.count
        }
    }

    func countEvents(stored: Int, duplicates: Int) {
        state.withLock { state in
            state.events["stored", default: 0] += stored
            state.events["duplicate", default: 0] += duplicates
        }
    }

    func countDelivery(_ result: DeliveryResult) { state.withLock { $0.deliveries[result, default: 0] += 1 } }

    func write(to text: inout PrometheusText) {
        let state = self.state.withLock { $0 }
        text.values(
            "relay_events_total", "counter", "Events received, by result.", by: "result",
            state.events.map { ($0.key, $0.value) })
        text.values(
            "relay_debug_entries_total", "counter", "Entries received, by result.", by: "result",
            state.entries.map { ($0.key, $0.value) })
        text.values(
            "relay_webhook_deliveries_total", "counter", "Deliveries to webhooks, by what became of them.", by: "result",
            state.deliveries.map { ($0.key.rawValue, $0.value) })
        text.family(
            "relay_requests_total", "counter", "Requests answered.",
            state.requests.map { "{\($0.key.labels)} \($0.value)" }.sorted())
        text.family(
            "relay_request_duration_seconds", "histogram", "Time to respond.",
            state.durations.sorted { $0.key < $1.key }.flatMap { route, durations -> [String] in
                let bounds = Self.bounds.map { "\($0)" } + ["+Inf"]
                let counts = durations.buckets + [durations.count]
                let buckets = zip(bounds, counts).map { "_bucket{route=\"\(route)\",le=\"\($0)\"} \($1)" }
                return buckets + ["_sum{route=\"\(route)\"} \(durations.sum)", "_count{route=\"\(route)\"} \(durations.count)"]
            })
    }
}
