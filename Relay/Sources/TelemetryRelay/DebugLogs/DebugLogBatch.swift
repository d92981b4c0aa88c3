import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The body of a post: `{"entries": […]}`. An invalid entry does not affect the others.
struct DebugLogBatch {
    /// How deeply a payload's values may be nested.
    static let depth = 64

    /// Each entry, or why it is refused.
    let entries: [Result<DebugLog, DebugLog.Refusal>]

    /// - Throws: ``DebugLog/Refusal`` if it is not a batch, or `JSONReaderError` if it is not JSON.
    init(body: Data) throws {
        var entries: [Result<DebugLog, DebugLog.Refusal>]?
        // A value is in the body, the entries, an entry and a payload.
        try JSONReader.read(body, maximumDepth: Self.depth + 4) { reader in
            guard try reader.kind() == .object else { throw DebugLog.Refusal(reason: "it is not an object") }
            try reader.object { name, reader in
                guard name == "entries" else { return try reader.skip() }
                guard try reader.kind() == .array else { throw DebugLog.Refusal(reason: "entries is not an array") }
                var read: [Result<DebugLog, DebugLog.Refusal>] = []
                try reader.array { read.append(try Self.entry(&$0)) }
                entries = read
            }
        }
        guard let entries else { throw DebugLog.Refusal(reason: "entries is missing") }
        self.entries = entries
    }

    private static func entry(_ reader: inout JSONReader) throws -> Result<DebugLog, DebugLog.Refusal> {
        let start = reader
        do {
            return .success(try DebugLog(JSONValue(reading: &reader, depth: depth + 2)))
        } catch let fault as JSONValue.Fault {
            reader = start
            if try reader.kind() == .number { try reader.skip() } else { try reader.skipContainer() }
            let place = fault.path.isEmpty ? "the entry" : fault.path.joined(separator: ".")
            let reason = fault.reason == .depth ? "values are nested deeper than \(depth)" : fault.description
            return .failure(.init(reason: "\(place): \(reason)"))
        } catch let refusal as DebugLog.Refusal {
            return .failure(refusal)
        }
    }

    var good: [DebugLog] { entries.compactMap { try? $0.get() } }

    var refusals: [DebugLogReceipt.Refusal] {
        entries.enumerated().compactMap { index, entry in
            guard case .failure(let refusal) = entry else { return nil }
            return DebugLogReceipt.Refusal(index: index, reason: Self.shortened(refusal.reason))
        }
    }

    /// A text from a sender, for a log or a response: at most 300 Unicode scalars, with characters that affect a terminal
    /// escaped.
    static func shortened(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(300) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return text.unicodeScalars.count > 300 ? result + " …" : result
    }
}

/// The response to a post.
struct DebugLogReceipt: Codable, Equatable {
    struct Refusal: Codable, Equatable {
        let index: Int
        let reason: String
    }

    /// The number of entries that this post stored.
    let stored: Int
    /// The number of entries that were stored before.
    let duplicates: Int
    let rejected: [Refusal]
}
