import TelemetryModels

/// Committed frames that the consumer reads outside the lock.
struct PendingRange: Sendable {
    /// Identifies this reading, also among readings of the same memory.
    let token: UInt64
    let memory: SegmentMemory
    let session: Session
    /// The sequence of the first event.
    let firstSequence: UInt64
    let from: Int
    let to: Int
    let clientId: String?
    /// No event was logged before this time; nil if that is unknown.
    let begun: BootTime?
    /// Whether the events are of this process's current session.
    let isCurrentSession: Bool

    /// Calls the body with the segment's bytes up to the end of the range.
    func withBytes<Result>(_ body: (ByteView) -> Result) -> Result { memory.withBytes(in: 0..<to, body) }
}

extension CaptureState {
    /// Begins a reading of the oldest events that wait; nil if no event waits.
    mutating func beginReading() -> PendingRange? {
        guard let segment = sealed.first ?? active, segment.waiting > 0 else { return nil }
        nextToken += 1
        reading = Reading(token: nextToken, memory: segment.memory, inFlight: 0)
        return PendingRange(
            token: nextToken, memory: segment.memory, session: segment.session, firstSequence: segment.firstSequence,
            from: segment.consumed, to: segment.committed, clientId: segment.clientAtConsumed,
            begun: segment.begun, isCurrentSession: segment.session === session)
    }

    /// Records which events are about to be passed to the transport; false if they were dropped meanwhile.
    mutating func offer(_ count: Int, upTo sequence: UInt64, of range: PendingRange) -> Bool {
        guard reading?.token == range.token, reading?.isOrphaned == false else { return false }
        reading?.inFlight = count
        if range.isCurrentSession { highestOffered = max(highestOffered, sequence) }
        return true
    }

    /// Ends a reading. The frames before the offset are no longer needed.
    /// - Parameter unreported: The number of dropped events that are not reported in the stream.
    mutating func endReading(
        _ range: PendingRange, at offset: Int, clientId: String?, delivered: Int,
        dropped: (count: Int, cause: TelemetryLogger.DropCause), unreported: Int = 0
    ) {
        guard let reading, reading.token == range.token else { return }
        // Not always the first: orphaned segments may have been inserted before it meanwhile.
        let index = sealed.firstIndex(where: isRead)
        self.reading = nil
        // Events that were not passed to the transport were dropped and counted with their segment.
        if reading.isOrphaned, reading.inFlight == 0 { return }
        let handled = delivered + dropped.count
        statistics.delivered += UInt64(delivered)
        drop(dropped.count, for: dropped.cause, unreported: unreported)
        waiting -= handled
        if reading.isOrphaned {
            waiting -= reading.inFlight - handled
            drop(reading.inFlight - handled, for: .full)
        } else if let index {
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
        guard let segment = sealed.first(where: isRead) ?? active, isRead(segment) else { return }
        endReading(
            range, at: segment.committed, clientId: segment.clientAtConsumed, delivered: 0, dropped: (segment.waiting, .corrupt))
    }

    /// Discards all events that wait. Sequences that the transport has not received are used again, so that a viewer finds no gap.
    mutating func discardAll() {
        drop(waiting, for: .disabled)
        for segment in sealed { store.discard(segment.memory) }
        if let active { store.discard(active.memory) }
        if let spare { store.discard(spare) }
        sealed = []
        active = nil
        spare = nil
        fileRequests = []
        reading = nil
        waiting = 0
        leftInSpool = 0
        nextSequence = highestOffered + 1
        if watch != nil { beginWatching() }
        reportedDrops = ReportedDrops()
        store.leaveSpool()
    }

    /// Whether the consumer reads the segment.
    func isRead(_ segment: CaptureSegment) -> Bool { reading?.memory === segment.memory }

    /// The sequence of the oldest event of this session that waits; the next sequence if none waits.
    var firstWaiting: UInt64 {
        (sealed.first { $0.session === session } ?? active)?.firstSequence ?? nextSequence
    }

    /// Ends the reading of a task that was ended. Its events continue to wait.
    mutating func abandonReading() {
        guard let reading else { return }
        self.reading = nil
        guard reading.isOrphaned else { return }
        waiting -= reading.inFlight
        drop(reading.inFlight, for: .full)
    }
}

/// What triggers read.
extension CaptureState {
    /// Reads events from now on.
    mutating func beginWatching() {
        watch = WatchPosition(session: session, sequence: nextSequence)
        recorder.skipUnread()
    }

    mutating func endWatching() {
        watch = nil
        isWatchIdle = false
    }

    /// Copies the next events that triggers have not read, about as many as the limit in bytes. Without any, the next event wakes the
    /// watch.
    mutating func takeUnread(limit: Int) -> UnreadEvents? {
        guard watch != nil else { return nil }
        let segments = sealed + [active].compactMap(\.self)
        let events =
            watch?.takeUnread(in: segments, of: session, limit: limit) ?? recorder.takeUnread(limit: limit)
        isWatchIdle = events == nil
        return events
    }
}
