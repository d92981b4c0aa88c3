import TelemetryModels

/// A batch that was read while the transport appended the previous one.
struct ReadAhead: Sendable {
    private let memory: SegmentMemory
    private let from: Int
    private let content: DeliveryBatch.Content

    init(_ range: PendingRange, limits: DeliveryBatch.Limits) async {
        memory = range.memory
        from = range.from
        content = withExtendedLifetime(range.pin) { DeliveryBatch.read(range, limits: limits, isEncoded: false) }
    }

    /// The batch if it is the first one of a range; otherwise nil.
    func content(of range: PendingRange) -> DeliveryBatch.Content? {
        guard memory === range.memory, from == range.from else { return nil }
        if case .corrupt = content { return nil }
        return content
    }
}

extension PendingRange {
    /// The frames after a batch of this range; nil if they are too few to be worth a task.
    ///
    /// Its bytes do not change while it exists: a segment with waiting events is not rewound, and the memory of a dropped segment
    /// is not used again.
    func rest(after batch: DeliveryBatch) -> PendingRange? {
        guard let end = batch.ends.last, batch.ends.count >= 100, end < to else { return nil }
        return PendingRange(
            token: token, memory: memory, session: session, firstSequence: batch.lastSequence &+ 1, from: end, to: to,
            clientId: batch.clientId, begun: begun, isCurrentSession: isCurrentSession, pin: SegmentMemory.Pin(memory))
    }
}
