import Foundation
import TelemetryModels

/// The keys of a record, computed before the transaction that uses them, which keeps other writers waiting.
struct RecordKeys: Sendable {
    let name: Data
    let type: Data
    let client: Data?

    init(_ record: RelayRecord) {
        name = NameKey.data(of: record.name)
        type = NameKey.data(of: record.record.recordType)
        client = record.clientId.map(NameKey.data)
    }
}
