package import TelemetryModels
package import TelemetryTransport

/// The store that all clients and viewers of a simulation share, as the simulation itself sees and changes it: at once, and
/// without anything going wrong. What the clients see of it is their transport's business.
@MainActor
package protocol SimulatedStore: AnyObject {
    /// Hears of every change that somebody subscribed to, with what tells the devices of it.
    typealias Delivery = @MainActor ([SimulatedDevice]) -> Void

    /// How long queries may miss a change.
    var consistencyDelay: Duration { get }
    var onChange: (@escaping Delivery) -> Void { get set }
    var events: [TelemetryEvent] { get }
    func record(_ id: TelemetryRecord.ID) -> TelemetryRecord?
    func records(matching query: TelemetryRecordQuery) -> [TelemetryRecord]
    /// - Parameter user: Whose account it is: "viewer", "bystander" or a device's ``SimulatedDevice/user``.
    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy, by user: String) throws -> [TelemetryRecord]
    func append(_ events: [TelemetryEvent], by user: String)

    /// A process's way to the store.
    func transport(of process: SimulatedProcess) -> any TelemetryTransporting
    /// What goes wrong at the store itself may begin, or is over.
    func setFaulty(_ isFaulty: Bool)
    /// Time passes.
    func advance(by duration: Duration)
}

extension SimulatedStore {
    /// The records of a type that bear a client's identifier.
    func records(ofType type: String, client: String) -> [TelemetryRecord] {
        records(matching: TelemetryRecordQuery(recordType: type, conditions: ["clientid": .string(client)]))
    }
}
