#if DEBUG
import Foundation

/// A server's answer to a batch: the status, and as much of the body as is worth reading.
struct DebugLogReply: Sendable, Equatable {
    let status: Int
    var retryAfter: Duration?
    var body = Data()

    /// What a server writes that stored a part of a batch.
    private struct Refusals: Decodable {
        struct Refusal: Decodable {
            let index: Int
            let reason: String
        }
        let rejected: [Refusal]
    }

    /// What the answer means for a batch of so many entries.
    func shipment(of count: Int) -> DebugLogShipment {
        switch status {
        case 200..<300: return .stored
        case 413: return .tooLarge
        // The host may not have its token yet, the server may be an older one, or busy: all of it can pass.
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
