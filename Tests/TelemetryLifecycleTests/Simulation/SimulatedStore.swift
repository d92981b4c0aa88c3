package import TelemetryModels
package import TelemetryTransport

/// The store that all clients and viewers of a simulation share, as the simulation reads and changes it: immediately and without
/// faults. Delays and faults are up to the clients' transports.
@MainActor
package protocol SimulatedStore: AnyObject {
    /// Delivers the notification of a change with a subscription to the devices.
    typealias Delivery = @MainActor ([SimulatedDevice]) -> Void

    /// The time for which queries may miss a change.
    var consistencyDelay: Duration { get }
    var onChange: (@escaping Delivery) -> Void { get set }
    var events: [TelemetryEvent] { get }
    func record(_ id: TelemetryRecord.ID) -> TelemetryRecord?
    func records(matching query: TelemetryRecordQuery) -> [TelemetryRecord]
    /// - Parameter user: The account: "viewer", "bystander" or a device's ``SimulatedDevice/user``.
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy, by user: String) throws -> [TelemetryRecord]
    func append(_ events: [TelemetryEvent], by user: String)

    /// Returns a process's transport to the store.
    func transport(of process: SimulatedProcess) -> any TelemetryTransporting
    /// Starts or ends faults in the store itself.
    func setFaulty(_ isFaulty: Bool)
    /// Advances the store's time.
    func advance(by duration: Duration)
}

extension SimulatedStore {
    /// The records of a type with a client's identifier.
    func records(ofType type: String, client: String) -> [TelemetryRecord] {
        records(matching: TelemetryRecordQuery(recordType: type, conditions: ["clientid": .string(client)]))
    }
}
