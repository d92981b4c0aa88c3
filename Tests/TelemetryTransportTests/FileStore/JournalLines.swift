import Foundation
import TelemetrySystem
import TelemetryTransport

/// The lines of a journal file, for tests that alter them.
struct JournalLines {
    let url: URL
    var lines: [String]

    init(_ directory: URL, file: Int = 1) throws {
        url = directory.appending(path: "journal/\(file).log")
        lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// The entry with its hash.
    static func entry(_ text: String) -> String {
        let hash = text.utf8.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return "\(text) \(String(0x1_0000_0000 | UInt64(hash), radix: 16).dropFirst())"
    }

    /// Writes the lines in place, so that open files have them.
    func write() throws {
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(lines.map { "\n\($0)\n" }.joined().utf8))
        try file.close()
    }
}

/// The header of a client's identity file, for tests that alter it.
struct IdentityWords {
    let url: URL
    var words: [UInt64]

    init(_ directory: URL, client: String = "client") throws {
        url = directory.appending(path: "events/\(client)/identity")
        words = try Data(contentsOf: url).prefix(192).withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
    }

    /// Writes the words with the checksum that goes with them.
    func write() throws {
        var words = words
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for word in words.dropLast() {
            hash = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
            hash ^= hash >> 32
        }
        words[words.count - 1] = hash
        let file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: words.withUnsafeBytes { Data($0) })
        try file.close()
    }
}

/// The segments of a client.
func segments(of client: String = "client", in directory: URL) throws -> [URL] {
    let folder = directory.appending(path: "events/\(client)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".jsonl") }
        .map { folder.appending(path: $0) }
}
