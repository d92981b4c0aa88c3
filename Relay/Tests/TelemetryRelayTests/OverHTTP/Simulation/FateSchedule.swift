import Synchronization
@_spi(Tooling) import TelemetryTestKit

/// The fault that affects a request.
enum NetworkFate: Sendable, CaseIterable {
    case pass
    /// The connection is reset, and the relay does not receive the request.
    case resetBefore
    /// The relay executes the request, and the connection is reset before the response.
    case resetAfter
    /// The relay executes the request, and the connection is reset within the response's body.
    case cutBody
    /// A proxy responds with 503 or 429.
    case unavailable, rateLimited
}

/// Chooses faults by a seed. The nth request of a kind has the same fate in every run, regardless of other requests.
final class FateSchedule: Sendable {
    private struct State {
        var counts: [String: UInt64] = [:]
        var isFaulty = true
    }

    private let seed: UInt64
    private let state = Mutex(State())

    init(seed: UInt64) { self.seed = seed }

    /// Ends all faults.
    func calm() { state.withLock { $0.isFaulty = false } }

    func next(_ kind: String) -> NetworkFate {
        let count: UInt64? = state.withLock { state in
            guard state.isFaulty else { return nil }
            state.counts[kind, default: 0] += 1
            return state.counts[kind]
        }
        guard let count else { return .pass }
        let hash = kind.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var random = SeededGenerator(seed: seed ^ hash &+ count)
        guard Int.random(in: 0..<2, using: &random) == 0 else { return .pass }
        return NetworkFate.allCases[Int.random(in: 0..<NetworkFate.allCases.count, using: &random)]
    }
}
