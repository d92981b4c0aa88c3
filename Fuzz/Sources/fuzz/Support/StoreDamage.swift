import Foundation

/// Damages files of a store as disks, crashes, editors and other programs do.
struct StoreDamage {
    private let root: String
    /// Whether numbers were forged with a correct checksum, which the store cannot detect.
    private(set) var isForged = false
    /// Whether a segment contains duplicate lines.
    private(set) var isRepeating = false

    /// Whether a journal file was shortened or removed, and an identity file, which stores the journal's end, was damaged, too.
    /// Then new entries may be written before a follower's position.
    var hasLostJournalEnd: Bool { hasShortenedJournal && hasDamagedIdentity }
    private var hasShortenedJournal = false
    private var hasDamagedIdentity = false

    init(_ root: String) { self.root = root }

    mutating func apply(_ input: inout ByteInput) {
        let paths = StoreTemplate.shared.files.map(\.path).filter { !$0.hasSuffix("lock") }
        let path = paths[input.number(below: paths.count)]
        let kind = input.number(below: 14)
        var bytes = Scratch.read(root + path)
        let size = bytes.count
        let place = input.number(below: 65_536) % max(bytes.count, 1)
        if path.hasSuffix("identity") || kind == 12 && path.hasPrefix("/events") { hasDamagedIdentity = true }
        trace("damage \(kind) of \(path) at \(place) of \(bytes.count)")
        switch kind {
        case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(input.number(below: 8))
        case 1 where !bytes.isEmpty: bytes[place] = input.byte()
        case 2: for (index, byte) in input.take(4).enumerated() where place + index < bytes.count { bytes[place + index] = byte }
        case 3: bytes.removeLast(bytes.count - place)
        case 4: bytes.insert(contentsOf: input.take(4), at: min(place, bytes.count))
        case 5: bytes.removeSubrange(place..<min(place + 1 + input.number(below: 200), bytes.count))
        case 6: for index in place..<min(place + 1 + input.number(below: 200), bytes.count) { bytes[index] = 0 }
        case 7:
            isRepeating = isRepeating || path.hasSuffix(".jsonl")
            bytes.insert(contentsOf: line(at: place, of: bytes), at: lineStart(at: place, of: bytes))
        case 8: return remove(path)
        case 9: bytes += input.take(16)
        case 10 where path.hasSuffix(".log"): forgeNumber(in: &bytes, at: place, &input)
        case 11 where path.hasSuffix("identity"):
            isForged = true
            for (index, byte) in input.take(8).enumerated() where (place % 192) + index < bytes.count {
                bytes[place % 192 + index] = byte
            }
            IdentityAccess.repair(&bytes)
        case 12: return remove(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
        default: if !bytes.isEmpty { bytes[place] = 0x0A }
        }
        if path.hasSuffix(".log"), bytes.count < size { hasShortenedJournal = true }
        Scratch.remove(root + path)
        Scratch.write(bytes, to: root + path, mode: path.hasSuffix(".log") && input.byte() & 1 == 1 ? 0o400 : 0o600)
    }

    private mutating func remove(_ path: String) {
        if path.isEmpty { return }
        if path.hasPrefix("/journal") { hasShortenedJournal = true }
        Scratch.remove(root + path)
    }

    /// Replaces a number of a line by any other, with a correct checksum.
    private mutating func forgeNumber(in bytes: inout [UInt8], at place: Int, _ input: inout ByteInput) {
        let start = lineStart(at: place, of: bytes)
        let text = line(at: place, of: bytes).dropLast()
        var words = text.split(separator: 0x20).dropLast().map { Array($0) }
        guard words.count > 2 else { return }
        let hostile = ["0", "1", "72057594037927935", "9223372036854775807", "18446744073709551615", "400", "7"]
        words[2 + input.number(below: words.count - 2)] = Array(hostile[input.number(below: hostile.count)].utf8)
        isForged = true
        bytes.replaceSubrange(start..<start + text.count, with: JournalAccess.sealed(Array(words.joined(separator: [0x20]))))
    }

    private func lineStart(at place: Int, of bytes: [UInt8]) -> Int {
        (bytes[..<min(place, bytes.count)].lastIndex(of: 0x0A) ?? -1) + 1
    }

    /// The line, including its line feed.
    private func line(at place: Int, of bytes: [UInt8]) -> [UInt8] {
        let start = lineStart(at: place, of: bytes)
        let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
        return Array(bytes[start..<end])
    }
}
