#if DEBUG
import Foundation

/// A server's response to a batch: the status and the beginning of the body.
struct DebugLogReply: Sendable, Equatable {
    let status: Int
    var retryAfter: Duration?
    var body = Data()

    /// The body of a server that stored a part of a batch.
    private struct Refusals: Decodable {
        struct Refusal: Decodable {
            let index: Int
            let reason: String
        }
        let rejected: [Refusal]
    }

    /// Returns the result that the response means for a batch of `count` entries.
    func shipment(of count: Int) -> DebugLogShipment {
        switch status {
        case 200..<300: return .stored
        case 413: return .tooLarge
        // May be temporary: the host has no token yet, or the server is older or busy.
        case 401, 403, 404, 405, 408, 425, 429: return .failed("status \(status)", retryAfter: retryAfter)
        case 400..<500:
            let refusals = (try? JSONDecoder().decode(Refusals.self, from: body))?.rejected ?? []
            let reasons = Dictionary(refusals.map { ($0.index, $0.reason) }) { first, _ in first }
                .filter { (0..<count).contains($0.key) }
            return reasons.isEmpty ? .rejected("status \(status)") : .refused(reasons)
        default: return .failed("status \(status)", retryAfter: retryAfter)
        }
    }
}
#endif
