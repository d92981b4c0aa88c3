/// Parses a line of the journal. The first byte determines whether the line gets a correct checksum.
enum JournalTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let mode = bytes.first else { return }
        let text = Array(bytes.dropFirst().prefix { $0 != 0x0A })
        let line = mode & 1 == 1 ? JournalAccess.sealed(text) : text
        guard let once = JournalAccess.rewritten(line) else { return }
        // A valid line is unchanged after it is written and read again.
        require(
            JournalAccess.rewritten(once) == once,
            "a journal line changes when it is written: \(String(decoding: once, as: UTF8.self))")
    }
}
