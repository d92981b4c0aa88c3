import Foundation

@testable import RelayReaders

/// Parses the body of a POST request to the relay, and encodes its entries again.
enum RelayBodyTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let body = Data(bytes)
        guard let batch = RelayParsing.batch(body) else {
            require(RelayParsing.reason(body).utf8.count <= 310, "an error's reason exceeds 310 bytes")
            return
        }
        require(batch.good.count + batch.refused == batch.entries, "an entry is neither good nor refused")
        for entry in batch.good { readBack(entry) }
    }

    private static func readBack(_ entry: DebugLog) {
        do {
            let again = try JSONDecoder().decode(DebugLog.self, from: JSONEncoder().encode(entry))
            require(
                again.id == entry.id && again.payload == entry.payload, "an entry changes when encoded again: \(entry) \(again)")
        } catch {
            violated("an accepted entry cannot be encoded: \(error)")
        }
        require(RelayParsing.text(ofPayload: entry) != nil, "an accepted payload cannot be stored")
    }
}
