package import TelemetryModels

/// Splits records into operations: at most 400 records and 2 MB in one operation, 1 MB in one record.
package enum CloudKitBatchPlan {
    package static let maximumItems = 400
    /// Below CloudKit's 2 MB, because a record's size on the wire is only estimated.
    package static let maximumBytes = 1_500_000
    package static let maximumRecordBytes = 1_000_000

    /// Splits items into batches that keep their order and the limits, and never contain an identifier twice, because CloudKit
    /// refuses such an operation.
    package static func batches<Item, Identity: Hashable>(
        of items: [Item], identity: (Item) -> Identity, bytes: (Item) -> Int
    ) -> [[Item]] {
        var batches: [[Item]] = []
        var batch: [Item] = []
        var identities: Set<Identity> = []
        var size = 0
        for item in items {
            let itemSize = bytes(item)
            let isFull = batch.count == maximumItems || size + itemSize > maximumBytes
            if !batch.isEmpty, isFull || identities.contains(identity(item)) {
                batches.append(batch)
                (batch, identities, size) = ([], [], 0)
            }
            batch.append(item)
            identities.insert(identity(item))
            size += itemSize
        }
        return batch.isEmpty ? batches : batches + [batch]
    }

    /// The approximate size of a record in an operation, in bytes.
    package static func estimatedBytes(of record: TelemetryRecord) -> Int {
        record.fields.reduce(200 + record.recordID.recordName.utf8.count) { total, field in
            let value = if case .string(let text) = field.value { text.utf8.count } else { 8 }
            return total + field.key.utf8.count + value + 16
        }
    }
}
