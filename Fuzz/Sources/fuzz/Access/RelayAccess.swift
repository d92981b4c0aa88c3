import Foundation

@testable import RelayReaders

/// The relay's readers of bodies and queries.
enum RelayAccess {
    /// The entries that can be read, and how many cannot; nil where the body is no batch.
    static func batch(_ body: Data) -> (good: [DebugLog], refused: Int, entries: Int)? {
        guard let batch = try? DebugLogBatch(body: body) else { return nil }
        return (batch.good, batch.refusals.count, batch.entries.count)
    }

    /// What an unreadable body is told.
    static func reason(_ body: Data) -> String {
        do {
            _ = try DebugLogBatch(body: body)
            return ""
        } catch {
            return DebugLogBatch.reason(for: error)
        }
    }

    static func query(_ parameters: [(name: String, value: String)]) -> DebugLogQuery? { try? DebugLogQuery(parameters) }

    static func text(ofPayload entry: DebugLog) -> String? { try? entry.payloadText }
}
