import TelemetryModels

extension CaptureState {
    /// From now on events are kept in files; what waits in memory is copied there, and what dead sessions left waits in front.
    mutating func attach(_ spool: Spool, maximumBytes: Int) {
        store.use(spool, maximumBytes: maximumBytes)
        spare = nil
        if active != nil { seal() }
        sealed = sealed.map { copied($0) }
        for segment in sealed.dropLast() { segment.memory.file?.unlock() }
    }

    /// Puts what dead sessions left in front of what waits.
    mutating func adopt(_ orphans: OrphanedSegments) {
        let segments = orphans.segments
        sealed = segments + sealed
        let count = segments.reduce(0) { $0 + $1.waiting }
        waiting += count
        statistics.recovered += UInt64(count)
        drop(orphans.damaged, for: .corrupt)
        drop(orphans.ofOthers, for: .otherClient)
        dropExcess()
    }

    /// Leaves what waits in its files for the next start. What has no file waits on in memory.
    mutating func detach() {
        if active != nil { seal() }
        if let spare { store.discard(spare) }
        spare = nil
        let kept = sealed.filter { $0.memory.file != nil }
        sealed.removeAll { $0.memory.file != nil }
        let count = kept.reduce(0) { $0 + $1.waiting }
        waiting -= count
        leftInSpool = count
        reading = nil
        store.leaveSpool()
        // Now, and not when the last reader lets go: an append that never returns must not keep them from the next start.
        for segment in kept { segment.memory.file?.abandon() }
    }

    /// The same events in a file, with whose they are; the segment itself where no file can be had.
    private mutating func copied(_ segment: CaptureSegment) -> CaptureSegment {
        guard segment.memory.file == nil else { return segment }
        let memory = store.allocate()
        guard memory.isMapped else { return segment }
        var copy = store.segment(in: memory, session: segment.session, firstSequence: segment.firstSequence)
        let definition = FrameEncoding.definition(clientId: segment.clientAtConsumed, begun: segment.begun)
        guard copy.free >= definition.count + segment.committed - segment.consumed else {
            store.discard(memory)
            return segment
        }
        copy.appendDefinition(definition)
        let frames = UnsafeRawBufferPointer(
            start: segment.memory.base + segment.consumed, count: segment.committed - segment.consumed)
        copy.appendFrames(frames, events: segment.waiting)
        copy.clientVersion = segment.clientVersion
        copy.begun = segment.begun
        return copy
    }
}

extension CaptureSegment {
    /// Appends whole frames, whose first event this one begins with; they count all at once.
    mutating func appendFrames(_ frames: UnsafeRawBufferPointer, events: Int) {
        guard frames.count >= Frame.headerBytes, let source = frames.baseAddress else { return }
        let place = memory.base + committed
        (place + frames.count).storeBytes(of: 0, as: UInt32.self)
        (place + 4).copyMemory(from: source + 4, byteCount: frames.count - 4)
        Frame.publish(length: source.loadUnaligned(as: UInt32.self), at: place)
        committed += frames.count
        waiting += events
        consumed = start
    }
}
