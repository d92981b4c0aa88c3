import TelemetryModels

/// A batch that was read before its turn.
struct ReadAhead: Sendable {
    private let memory: SegmentMemory
    private let from: Int
    private let content: DeliveryBatch.Content

    init(_ range: PendingRange, limits: DeliveryBatch.Limits) async {
        memory = range.memory
        from = range.from
        content = withExtendedLifetime(range.claim) { DeliveryBatch.read(range, limits: limits) }
    }

    /// The batch, if it is what a range begins with.
    func content(of range: PendingRange) -> DeliveryBatch.Content? {
        guard memory === range.memory, from == range.from else { return nil }
        if case .corrupt = content { return nil }
        return content
    }
}

extension PendingRange {
    /// What is behind a batch of this range; nil if that is hardly worth a task of its own.
    ///
    /// It stays as it is for as long as it lives: a segment in which events wait is not rewound, and the memory of one that is
    /// dropped is not used again.
    func rest(behind events: [TelemetryEvent], ends: [Int]) -> PendingRange? {
        guard let last = events.last, let end = ends.last, events.count >= 100, end < to else { return nil }
        return PendingRange(
            token: token, memory: memory, session: session, firstSequence: last.sequence &+ 1, from: end, to: to,
            clientId: last.clientId, begun: begun, isCurrentSession: isCurrentSession, claim: SegmentMemory.Claim(to: memory))
    }
}
