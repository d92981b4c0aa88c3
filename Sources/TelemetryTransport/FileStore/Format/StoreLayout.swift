import TelemetryModels

/// The paths of a store's files and directories.
struct StoreLayout: Sendable {
    let directory: String

    var format: String { "\(directory)/format.json" }
    var records: String { "\(directory)/records" }
    var recordsLock: String { "\(records)/-lock" }
    var subscriptions: String { "\(directory)/subscriptions" }
    var events: String { "\(directory)/events" }
    var journal: String { "\(directory)/journal" }
    var quarantine: String { "\(directory)/set-aside" }

    var all: [String] { [records, subscriptions, events, journal] }

    func records(ofType recordType: String) -> String { "\(records)/\(EncodedName.encode(recordType))" }

    /// The name of a record's file within its type's directory.
    static func fileName(of id: TelemetryRecord.ID) -> String { "\(EncodedName.encode(id.recordName)).json" }

    func subscription(_ id: String) -> String { "\(subscriptions)/\(EncodedName.encode(id)).json" }

    /// The name of a client's directory. Encoded names contain no dash.
    static func client(_ clientId: String?) -> String { clientId.map { EncodedName.encode($0) } ?? "-none" }

    func client(directory name: String) -> String { "\(events)/\(name)" }

    func journalFile(_ number: UInt64) -> String { "\(journal)/\(number).log" }

    /// The cached index of a journal file.
    func journalIndex(_ number: UInt64) -> String { "\(journal)/\(number).index" }

    static func journalNumber(of name: String) -> UInt64? {
        guard name.hasSuffix(".log"), let number = UInt64(name.dropLast(4)), number < numberLimit else { return nil }
        return number
    }

    /// The name of the newest journal file, which is written to.
    static func newestJournalFile(among names: [String]) -> String? { names.compactMap(journalNumber).max().map { "\($0).log" } }

    /// Whether a name read from a file is a plain file name, without a path that leaves the directory.
    static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    /// An upper bound of all file numbers and counts, so that sums do not overflow.
    static let numberLimit: UInt64 = 1 << 56
}
