import Foundation

@testable import RelayReaders

/// The relay's parsers of bodies and queries.
enum RelayParsing {
    /// The valid entries, the number of refused entries and of all entries; nil if the body is not a batch.
    static func batch(_ body: Data) -> (good: [DebugLog], refused: Int, entries: Int)? {
        guard let batch = try? DebugLogBatch(body: body) else { return nil }
        return (batch.good, batch.refusals.count, batch.entries.count)
    }

    /// The relay's reason for refusing the body; empty if the body is valid.
    static func reason(_ body: Data) -> String {
        do {
            _ = try DebugLogBatch(body: body)
            return ""
        } catch {
            return DebugLogBatch.shortened("\(error)")
        }
    }

    static func query(_ parameters: [(name: String, value: String)]) -> DebugLogQuery? { try? DebugLogQuery(parameters) }

    static func text(ofPayload entry: DebugLog) -> String? { try? entry.payloadText }
}
