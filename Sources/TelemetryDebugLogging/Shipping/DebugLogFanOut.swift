#if DEBUG
/// Several destinations, each of which receives every entry.
///
/// A ``DebugLogger`` has a separate queue for each destination: one that fails, stalls or refuses does not delay the others, and
/// a batch is sent again only to the destination that has not stored it.
public struct DebugLogFanOut: DebugLogShipping {
    /// The destinations. A nested fan-out is replaced by its destinations.
    let places: [any DebugLogShipping]

    /// Creates a fan-out to the shippers. Each receives every entry, independently of the others.
    public init(_ shippers: [any DebugLogShipping]) {
        places = shippers.flatMap { ($0 as? DebugLogFanOut)?.places ?? [$0] }
    }

    /// Delivers one batch to all destinations at once, for callers other than a ``DebugLogger``, and combines the results.
    ///
    /// If one of them fails, a retry sends the batch to all, which is safe because entries are stored once per identifier.
    public func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        await withTaskGroup(of: DebugLogShipment.self) { group in
            for place in places { group.addTask { await place.ship(entries) } }
            return await group.reduce(.stored) { $0.joined(with: $1) }
        }
    }
}

extension DebugLogShipment {
    /// Combines two destinations' results: failed if either failed, too large if the batch was too large for either, and
    /// otherwise the refusals of both.
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
