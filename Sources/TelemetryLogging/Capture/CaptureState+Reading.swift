import TelemetryModels

/// Committed frames that the consumer may read outside the lock.
struct PendingRange: Sendable {
    /// Tells this reading from every other, also in the same memory.
    let token: UInt64
    let memory: SegmentMemory
    let session: Session
    /// The first event's.
    let firstSequence: UInt64
    let from: Int
    let to: Int
    let clientId: String?
    /// No event was logged before; nil where that is not known.
    let begun: BootTime?
    /// Whether the sequences are this process's own.
    let isCurrentSession: Bool
    /// Where it is read beside a reading that the state knows of.
    var claim: SegmentMemory.Claim?

    /// The bytes; the range must outlive their use.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.base, count: to) }
}

extension CaptureState {
    /// The oldest events that wait; nil where none do.
    mutating func beginReading() -> PendingRange? {
        guard let segment = sealed.first ?? active, segment.waiting > 0 else { return nil }
        nextToken += 1
        reading = Reading(token: nextToken, memory: ObjectIdentifier(segment.memory), inFlight: 0)
        return PendingRange(
            token: nextToken, memory: segment.memory, session: segment.session, firstSequence: segment.firstSequence,
            from: segment.consumed, to: segment.committed, clientId: segment.clientAtConsumed,
            begun: segment.begun, isCurrentSession: segment.session === session)
    }

    /// Notes which events are about to be handed over; false if they went meanwhile.
    mutating func offer(_ count: Int, upTo sequence: UInt64, of range: PendingRange) -> Bool {
        guard reading?.token == range.token, reading?.isOrphaned == false else { return false }
        reading?.inFlight = count
        if range.isCurrentSession { highestOffered = max(highestOffered, sequence) }
        return true
    }

    /// Ends a reading: what is in front of the offset is no longer needed.
    /// - Parameter unreported: The number of dropped events that are not reported in the stream.
    mutating func endReading(
        _ range: PendingRange, at offset: Int, clientId: String?, delivered: Int,
        dropped: (count: Int, cause: TelemetryLogger.DropCause), unreported: Int = 0
    ) {
        guard let reading, reading.token == range.token else { return }
        self.reading = nil
        // What was not handed over went, and was counted, with its segment.
        if reading.isOrphaned, reading.inFlight == 0 { return }
        let handled = delivered + dropped.count
        statistics.delivered += UInt64(delivered)
        drop(dropped.count, for: dropped.cause, unreported: unreported)
        waiting -= handled
        if reading.isOrphaned {
            waiting -= reading.inFlight - handled
            drop(reading.inFlight - handled, for: .full)
        } else if let index = sealed.firstIndex(where: { $0.memory === range.memory }) {
            // Not always the first: what a dead session left may have been put in front meanwhile.
            sealed[index].consume(to: offset, events: handled, clientId: clientId)
            if sealed[index].waiting == 0 { recycle(sealed.remove(at: index)) }
        } else {
            let now = store.bootTime()
            changeActive { segment, sequence in
                segment.consume(to: offset, events: handled, clientId: clientId)
                if segment.waiting == 0 { segment.rewind(firstSequence: sequence, at: now) }
            }
        }
    }

    /// Drops the rest of a segment that cannot be read.
    mutating func abandon(_ range: PendingRange) {
        guard let segment = sealed.first(where: { $0.memory === range.memory }) ?? active, segment.memory === range.memory else {
            return
        }
        endReading(
            range, at: segment.committed, clientId: segment.clientAtConsumed, delivered: 0, dropped: (segment.waiting, .corrupt))
    }

    /// Forgets everything that waits. Numbers that the transport has not seen are given out again: to a viewer it is as if
    /// these events had not been.
    mutating func discardAll() {
        drop(waiting, for: .disabled)
        for segment in sealed { store.discard(segment.memory) }
        if let active { store.discard(active.memory) }
        if let spare { store.discard(spare) }
        sealed = []
        active = nil
        spare = nil
        reading = nil
        waiting = 0
        nextSequence = highestOffered + 1
        reportedDrops = ReportedDrops()
        store.leaveSpool()
    }
}

extension CaptureSegment {
    fileprivate mutating func consume(to offset: Int, events: Int, clientId: String?) {
        consumed = offset
        if memory.isMapped { SegmentHeader.setConsumed(offset, at: memory.base) }
        waiting -= events
        // A file may claim any number.
        firstSequence &+= UInt64(events)
        clientAtConsumed = clientId
    }
}
