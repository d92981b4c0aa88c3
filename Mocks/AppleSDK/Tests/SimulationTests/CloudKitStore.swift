import CloudKit
import CloudKitWorld
import FakeCloudKitServer
import Foundation
import LifecycleSimulation
import TelemetryCloudKit
import TelemetryModels
import TelemetryTransport

/// The simulation's store on the fake CloudKit server, with the schema file's roles: every device is a separate user, and every
/// process has a ``CloudKitTransport``, each of whose requests the simulation may delay, fail or lose.
@MainActor
final class CloudKitStore: SimulatedStore {
    let world: World
    let consistencyDelay = Duration.seconds(10)
    var onChange: (@escaping Delivery) -> Void = { _ in }
    private var registered: Set<Int> = []
    private let seed: UInt64
    private var server: FakeCloudKitServer { world.server }

    /// - Parameter seed: Also determines the server's behavior: the lag of its index, the size of its operations, and how it
    /// reports failures.
    init(seed: UInt64) throws {
        self.seed = seed
        world = try World.deployed {
            $0.indexDelay = [0, 1, 8][Int(seed % 3)]
            $0.maximumItems = seed.isMultiple(of: 2) ? 400 : 2
            $0.pageSize = seed.isMultiple(of: 5) ? 2 : 100
            $0.failsPartially = seed.isMultiple(of: 7)
            $0.reportsForbidden = seed.isMultiple(of: 4)
            $0.salt = seed
        }
        server.assign(CloudKitSchemaFile.viewerRole, to: "viewer")
    }

    func transport(of process: SimulatedProcess) -> any TelemetryTransporting {
        let device = process.device
        let session = StandInSession(
            server: server, user: device.user, device: device.user, traffic: SimulatedTraffic(process, to: server, seed: seed))
        if registered.insert(device.number).inserted {
            _ = server.register(session.caller) { [weak self] push in
                MainActor.assumeIsolated { self?.tell(of: push, device: device.number) }
            }
        }
        return StandInSession.$current.withValue(session) {
            CloudKitTransport(
                containerIdentifier: "iCloud.test", configuration: .init(consistencyDelay: consistencyDelay))
        }
    }

    private func tell(of push: ServerPush, device number: Int) {
        onChange { devices in
            let process = devices.first { $0.number == number }?.process
            (process?.transport as? CloudKitTransport)?.handleRemoteNotification(StandInSession.userInfo(of: push))
        }
    }

    func setFaulty(_ isFaulty: Bool) { if !isFaulty { server.clearFaults() } }

    func advance(by duration: Duration) {
        server.advance(by: Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
    }

    var events: [TelemetryEvent] {
        server.records().values.filter { $0.type == TelemetrySchema.recordType }.compactMap {
            try? TelemetryEvent(record: $0.telemetryRecord)
        }
    }

    func record(_ id: TelemetryRecord.ID) -> TelemetryRecord? {
        let records = server.records()
        return records[CloudKitName.name(for: id.recordName)].flatMap { seen($0, in: records) }
    }

    func records(matching query: TelemetryRecordQuery) -> [TelemetryRecord] {
        let records = server.records()
        return query.apply(to: records.values.compactMap { seen($0, in: records) })
    }

    /// The record as the viewer reads it: a command with its client's receipt.
    private func seen(_ stored: ServerRecord, in records: [String: ServerRecord]) -> TelemetryRecord? {
        let record = stored.telemetryRecord
        let receipt = records[CloudKitReceipt.name(forCommandNamed: record.recordID.recordName)]
        guard stored.type == TelemetrySchema.commandRecordType, let receipt else { return record }
        return CloudKitReceipt.command(record, with: receipt.telemetryRecord)
    }

    func save(_ records: [TelemetryRecord], policy: TelemetrySavePolicy, by user: String) throws -> [TelemetryRecord] {
        let stored = server.records()
        let saving = records.map { record in
            var version = ServerRecord(record, named: CloudKitName.name(for: record.recordID.recordName))
            if case .overwrite = policy { version.tag = stored[version.name]?.tag }
            return version
        }
        let results = try server.modify(
            database: "public", saving: saving, deleting: [], comparesTags: true,
            by: .init(user: user, device: "\(user)'s desk")
        ).saved
        return try saving.compactMap { try results[$0.name]?.get().telemetryRecord }
    }

    func append(_ events: [TelemetryEvent], by user: String) {
        let saving = events.map { ServerRecord($0.toRecord(), named: CloudKitName.eventName(for: $0.eventId)) }
        _ = try? server.modify(
            database: "public", saving: saving, deleting: [], comparesTags: true, by: .init(user: user, device: "\(user)'s log"))
    }
}

extension ServerRecord {
    fileprivate init(_ record: TelemetryRecord, named name: String) {
        let fields = record.fields.mapValues { value -> ServerValue in
            switch value {
            case .string(let text): .string(text)
            case .int(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let flag): .int(flag ? 1 : 0)
            case .date(let date): .date(date)
            }
        }
        self.init(type: record.recordType, name: name, fields: fields)
    }

    fileprivate var telemetryRecord: TelemetryRecord {
        var record = TelemetryRecord(
            recordType: type, recordID: .init(recordName: CloudKitName.recordName(from: name) ?? name))
        record.changeTag = tag
        for (field, value) in fields where !CloudKitField.isOwn(field) {
            record[field] =
                switch value {
                case .string(let text): .string(text)
                case .int(let number):
                    CloudKitField.kind(of: field, in: type) == .bool ? .bool(number == 1) : .int(number)
                case .double(let number): .double(number)
                case .date(let date): .date(date)
                }
        }
        return record
    }
}
