import Foundation
@_spi(Tooling) import TelemetryModels

/// The body of a post: `{"entries": […]}`. Each entry is decoded separately, so that an invalid entry does not affect the others.
struct DebugLogBatch: Decodable {
    struct Attempt: Decodable {
        let result: Result<DebugLog, any Error>

        init(from decoder: any Decoder) throws {
            result = Result { try DebugLog(from: decoder) }
        }
    }

    let entries: [Attempt]

    /// Decodes a body. Payload values may be nested 64 deep.
    init(body: Data) throws {
        let decoder = JSONDecoder()
        if let key = JSONValue.NestingLimit.userInfoKey {
            // The path of a payload's value: entries, index, payload, name.
            decoder.userInfo[key] = JSONValue.NestingLimit(depth: 64, pathLength: 4)
        }
        self = try decoder.decode(Self.self, from: body)
    }

    var good: [DebugLog] { entries.compactMap { try? $0.result.get() } }

    var refusals: [DebugLogReceipt.Refusal] {
        entries.enumerated().compactMap { index, attempt in
            guard case .failure(let error) = attempt.result else { return nil }
            return DebugLogReceipt.Refusal(index: index, reason: Self.reason(for: error))
        }
    }

    /// A description of a decoding error: the field's name and the reason, shortened.
    static func reason(for error: any Error) -> String {
        shortened(wholeReason(for: error))
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

    private static func wholeReason(for error: any Error) -> String {
        func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = context.codingPath.filter { $0.intValue == nil && $0.stringValue != "entries" } + (last.map { [$0] } ?? [])
            return keys.isEmpty ? "the entry" : keys.map(\.stringValue).joined(separator: ".")
        }
        func name(of type: Any.Type) -> String {
            switch type {
            case is String.Type: "a string"
            case is UUID.Type: "a UUID"
            default: "\(type)".hasPrefix("Dictionary") ? "an object" : "\(type)".hasPrefix("Array") ? "an array" : "valid"
            }
        }
        switch error as? DecodingError {
        case .keyNotFound(let key, let context): return "\(path(context, key)) is missing"
        case .valueNotFound(_, let context): return "\(path(context)) is missing"
        case .typeMismatch(let type, let context): return "\(path(context)) is not \(name(of: type))"
        case .dataCorrupted(let context): return "\(path(context)): \(context.debugDescription)"
        default: return "unreadable"
        }
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
