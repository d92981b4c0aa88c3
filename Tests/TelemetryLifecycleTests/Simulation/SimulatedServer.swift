import TelemetryModels
import TelemetryTransport

/// A store in memory. It never fails; the transports before it do.
@MainActor
final class SimulatedServer: SimulatedStore {
    private var records: [TelemetryRecord.ID: TelemetryRecord] = [:]
    private(set) var events: [TelemetryEvent] = []
    /// How many events were ever stored, including deleted ones.
    private(set) var appendedEvents = 0
    private(set) var subscriptions: [TelemetrySubscription.ID: TelemetrySubscription] = [:]
    private var version = 0
    let consistencyDelay = Duration.zero
    var onChange: (@escaping Delivery) -> Void = { _ in }

    func transport(of process: SimulatedProcess) -> any TelemetryTransporting {
        SimulatedTransport(process: process, server: self)
    }

    func setFaulty(_ isFaulty: Bool) {}
    func advance(by duration: Duration) {}

    func record(_ id: TelemetryRecord.ID) -> TelemetryRecord? { records[id] }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy, by user: String) throws -> [TelemetryRecord] {
        var failures: [TelemetryRecord.ID: TelemetryTransportError] = [:]
        var saved: [TelemetryRecord] = []
        for record in records {
            if let refusal = policy.refusal(of: record, over: self.records[record.recordID]) {
                failures[record.recordID] = refusal
                continue
            }
            version += 1
            var stored = record
            stored.changeTag = "\(version)"
            self.records[record.recordID] = stored
            saved.append(stored)
            notify(stored)
        }
        if let failure = TelemetryTransportError.outcome(of: failures, among: records.count) { throw failure }
        return saved
    }

    func records(matching query: TelemetryRecordQuery) -> [TelemetryRecord] { query.apply(to: records.values) }

    func delete(_ ids: [TelemetryRecord.ID]) -> Int {
        ids.count { id in
            guard let removed = records.removeValue(forKey: id) else { return false }
            notify(removed)
            return true
        }
    }

    func append(_ events: [TelemetryEvent], by user: String) {
        self.events += events
        appendedEvents += events.count
    }

    func deleteEvents(_ filter: TelemetryEventFilter) -> Int {
        let before = events.count
        events.removeAll { filter.matches($0) }
        return before - events.count
    }

    func save(_ subscription: TelemetrySubscription) { subscriptions[subscription.id] = subscription }
    func deleteSubscription(_ id: TelemetrySubscription.ID) { subscriptions[id] = nil }

    private func notify(_ record: TelemetryRecord) {
        for subscription in subscriptions.values.sorted(by: { $0.id < $1.id }) where subscription.covers(record) {
            let notification = TelemetryNotification(
                subscriptionID: subscription.id, recordType: record.recordType, recordID: record.recordID)
            onChange { devices in
                for process in devices.flatMap(\.processes) {
                    (process.transport as? SimulatedTransport)?.notify(notification)
                }
            }
        }
    }
}
