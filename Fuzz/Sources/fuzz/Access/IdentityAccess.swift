import Foundation

@testable import TelemetrySystem
@testable import TelemetryTransport

/// A client's identity file, with the checksums that detect most damage.
struct IdentityAccess {
    private let index: IdentityIndex

    /// Returns nil if the file is corrupt. Checks the slots, as a process does at its first use of a client.
    init?(_ path: String) {
        let system = FileSystem()
        guard let file = try? system.open(path, for: .update), let index = try? IdentityIndex(file: file),
            (try? index.checkSlots()) != nil
        else { return nil }
        self.index = index
    }

    /// Creates a file with these event identifiers.
    static func make(_ path: String, with identifiers: [String]) {
        let system = FileSystem()
        var header = IdentityHeader(secret: (1, 2), boot: 3)
        guard let file = try? system.open(path, for: .create), let index = try? IdentityIndex(new: file, header: header) else {
            return
        }
        for identifier in identifiers { _ = try? index.stage(identifier) }
        try? index.commit(into: &header)
        try? index.write(header)
    }

    /// Returns whether the event is new, or nil if the file is corrupt. Then the staged events are not stored.
    func stage(_ identifier: String) -> Bool? { try? index.stage(identifier) }

    /// Returns false if the file is corrupt.
    func commit() -> Bool {
        var header = index.header
        do {
            try index.commit(into: &header)
            try index.write(header)
            try index.refresh()
            return true
        } catch {
            return false
        }
    }

    /// Corrects the checksum of the header's words.
    static func repair(_ bytes: inout [UInt8]) {
        let count = IdentityHeader.wordCount
        guard bytes.count >= count * 8 else { return }
        var words = (0..<count).map { index in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[index * 8 + $1]) << UInt64(8 * $1) }
        }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for word in words.dropLast() {
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 32
        }
        words[count - 1] = hash
        for index in 0..<8 { bytes[(count - 1) * 8 + index] = UInt8(truncatingIfNeeded: hash >> UInt64(8 * index)) }
    }
}
