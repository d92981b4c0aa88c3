import TelemetrySystem

/// Identifies a journal file by keeping it open, so that the system cannot give its inode number to another file.
struct JournalFileWitness {
    private var number: UInt64 = 0
    private var file: OpenFile?
    /// Whether an existing file could not be opened, so that it is unknown whether it is the same.
    private var isUnknown = false

    /// Whether the file of that number is still the one passed to ``look(at:_:_:)``; false before the first call.
    func isSame(_ number: UInt64) -> Bool {
        guard self.number == number, let file, let status = try? file.status() else { return false }
        return status.isLinked
    }

    /// Whether the file of that number was replaced or removed; false if that is unknown.
    func isOther(_ number: UInt64) -> Bool { !isSame(number) && !(isUnknown && self.number == number) }

    mutating func look(at number: UInt64, _ layout: StoreLayout, _ system: FileSystem) {
        self.number = number
        (file, isUnknown) = (nil, false)
        do { file = try system.open(layout.journalFile(number), for: .read) } catch { isUnknown = !error.isNotFound }
    }
}
