import Foundation

@testable import RelayReaders

/// The relay's readers of bodies and queries, and its decompression.
enum RelayAccess {
    enum Expansion: Equatable { case bytes([UInt8]), tooLarge, malformed }

    static func gunzip(_ bytes: [UInt8], limit: Int) -> Expansion {
        do { return .bytes(try Gzip.decompress(bytes, limit: limit)) } catch is Inflate.TooLarge { return .tooLarge } catch {
            return .malformed
        }
    }

    /// The bytes, and where in the input they end.
    static func inflate(_ bytes: [UInt8], limit: Int) -> (Expansion, end: Int) {
        do {
            let (expanded, end) = try Inflate.decompress(bytes[...], limit: limit)
            return (.bytes(expanded), end)
        } catch is Inflate.TooLarge { return (.tooLarge, 0) } catch { return (.malformed, 0) }
    }

    /// The entries that can be read, and how many cannot; nil where the body is no batch.
    static func batch(_ body: Data) -> (good: [DebugLog], refused: Int, entries: Int)? {
        guard let batch = try? JSONDecoder().decode(DebugLogBatch.self, from: body) else { return nil }
        return (batch.good, batch.refusals.count, batch.entries.count)
    }

    /// What an unreadable body is told.
    static func reason(_ body: Data) -> String {
        do {
            _ = try JSONDecoder().decode(DebugLogBatch.self, from: body)
            return ""
        } catch {
            return DebugLogBatch.reason(for: error)
        }
    }

    static func query(_ parameters: [(name: String, value: String)]) -> DebugLogQuery? { try? DebugLogQuery(parameters) }

    static func text(ofPayload entry: DebugLog) -> String? { try? entry.payloadText }
}
