/// Remembers a journal file by keeping it open: an inode's number is given to another file as soon as it is free.
package struct JournalFileWitness {
    private var number: UInt64 = 0
    private var file: OpenFile?
    /// Whether the file of that number could not be opened just then, and may be the same.
    private var isBlind = false

    package init() {}

    /// Whether the file of that number is still the one that was looked at before; false the first time.
    package func isSame(_ number: UInt64) -> Bool {
        guard self.number == number, let file, let status = try? file.status() else { return false }
        return status.isLinked
    }

    /// Whether the file of that number is known to be another, or gone.
    package func isOther(_ number: UInt64) -> Bool { !isSame(number) && !(isBlind && self.number == number) }

    package mutating func look(at number: UInt64, _ layout: StoreLayout, _ system: FileSystem) {
        self.number = number
        (file, isBlind) = (nil, false)
        do { file = try system.open(layout.journalFile(number), for: .read) } catch { isBlind = !error.isNotFound }
    }
}
