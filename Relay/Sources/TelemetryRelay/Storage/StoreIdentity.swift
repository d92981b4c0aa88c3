/// A random identifier of the database, by which cursors from other databases are detected. A restored database has a new one, so that
/// it also identifies what is cached of the database.
struct StoreIdentity: Sendable, Equatable {
    let rawValue: String

    /// The text of a position among events or changes.
    func place(_ number: Int64) -> String { "\(rawValue)-\(number)" }

    /// The number of a position; nil if it belongs to another database or is not yet reached.
    func number(ofPlace text: String, before next: Int64) -> Int64? {
        guard text.hasPrefix(rawValue + "-"), let number = Int64(text.dropFirst(rawValue.count + 1)), number >= 0,
            number < next, text == place(number)
        else { return nil }
        return number
    }
}
