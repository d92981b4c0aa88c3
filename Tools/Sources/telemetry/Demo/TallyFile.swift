import Foundation

/// The host's tally: one line for each event that it logged.
struct TallyFile: Sendable {
    let url: URL

    /// The complete lines; a killed host may leave a truncated one at the end.
    func lines() throws -> [(key: Ledger.Key, scenario: String)] {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let complete = text.lastIndex(of: "\n").map { text[..<$0] } ?? ""
        return complete.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 3)
            guard words.count == 4, let number = Int(words[1]) else { return nil }
            return (Ledger.Key(session: String(words[0]), number: number), String(words[3]))
        }
    }
}
