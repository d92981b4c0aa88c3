package import TelemetryModels

/// The paths of a store's files and directories.
package struct StoreLayout: Sendable {
    package let directory: String

    package init(directory: String) {
        self.directory = directory
    }

    package var format: String { "\(directory)/format.json" }
    package var records: String { "\(directory)/records" }
    package var recordsLock: String { "\(records)/-lock" }
    package var subscriptions: String { "\(directory)/subscriptions" }
    package var events: String { "\(directory)/events" }
    package var journal: String { "\(directory)/journal" }
    package var quarantine: String { "\(directory)/set-aside" }

    package var all: [String] { [records, subscriptions, events, journal] }

    package func records(ofType recordType: String) -> String { "\(records)/\(EncodedName.encode(recordType))" }

    /// The name of a record's file within its type's directory.
    package static func fileName(of id: TelemetryRecord.ID) -> String { "\(EncodedName.encode(id.recordName)).json" }

    package func subscription(_ id: String) -> String { "\(subscriptions)/\(EncodedName.encode(id)).json" }

    /// The name of a client's directory. Encoded names contain no dash.
    package static func client(_ clientId: String?) -> String { clientId.map { EncodedName.encode($0) } ?? "-none" }

    package func client(directory name: String) -> String { "\(events)/\(name)" }

    package func journalFile(_ number: UInt64) -> String { "\(journal)/\(number).log" }

    /// The cached index of a journal file.
    package func journalIndex(_ number: UInt64) -> String { "\(journal)/\(number).index" }

    package static func journalNumber(of name: String) -> UInt64? {
        guard name.hasSuffix(".log"), let number = UInt64(name.dropLast(4)), number < numberLimit else { return nil }
        return number
    }

    /// Whether a name read from a file is a plain file name, without a path that leaves the directory.
    package static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// An upper bound of all file numbers and counts, so that sums do not overflow.
    package static let numberLimit: UInt64 = 1 << 56
}
