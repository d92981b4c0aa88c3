#if DEBUG
/// Delivers every batch to several places.
///
/// Where one of them fails, the batch comes again to all of them, which is safe: an entry's identifier twice is one entry.
public struct DebugLogFanOut: DebugLogShipping {
    private let shippers: [any DebugLogShipping]

    public init(_ shippers: [any DebugLogShipping]) {
        self.shippers = shippers
    }

    public func ship(_ entries: [DebugLogEntry]) async -> DebugLogShipment {
        await withTaskGroup(of: DebugLogShipment.self) { group in
            for shipper in shippers { group.addTask { await shipper.ship(entries) } }
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
        case (.refusedWholly, _): self
        case (_, .refusedWholly): other
        case (.refused(let first), .refused(let second)): .refused(first.merging(second) { "\($0); \($1)" })
        case (.refused, .stored): self
        case (.stored, _): other
        }
    }
}
#endif
