#if DEBUG
/// Several destinations, each of which receives every entry.
///
/// A ``DebugLogger`` keeps apart what waits for each of them: one that fails, stalls or refuses holds up no other, and a batch
/// comes again only to the place that has not got it.
public struct DebugLogFanOut: DebugLogShipping {
    /// The places, those of a fan-out among them instead of it.
    let places: [any DebugLogShipping]

    /// Creates a fan-out over the shippers; each gets every entry, independently of the others.
    public init(_ shippers: [any DebugLogShipping]) {
        places = shippers.flatMap { ($0 as? DebugLogFanOut)?.places ?? [$0] }
    }

    /// Delivers one batch to all of them at once, for whoever is no logger; what their answers come to is one answer.
    ///
    /// Where one of them fails, trying again brings the batch to all, which is safe: an entry's identifier twice is one entry.
    public func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        await withTaskGroup(of: DebugLogShipment.self) { group in
            for place in places { group.addTask { await place.ship(entries) } }
            return await group.reduce(.stored) { $0.joined(with: $1) }
        }
    }
}

extension DebugLogShipment {
    /// What two places' answers come to: try again where one of them failed, halve where one found the batch too large, and
    /// otherwise count as refused what either refused.
    func joined(with other: DebugLogShipment) -> DebugLogShipment {
        switch (self, other) {
        case (.failed(let first, let one), .failed(let second, let another)):
            .failed("\(first); \(second)", retryAfter: one.map { max($0, another ?? $0) } ?? another)
        case (.failed, _): self
        case (_, .failed): other
        case (.tooLarge, _), (_, .tooLarge): .tooLarge
        case (.rejected, _): self
        case (_, .rejected): other
        case (.refused(let first), .refused(let second)): .refused(first.merging(second) { "\($0); \($1)" })
        case (.refused, .stored): self
        case (.stored, _): other
        }
    }
}
#endif
