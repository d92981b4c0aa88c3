import TelemetryModels

extension CaptureState {
    /// Keeps events in files from now on, and copies the events that wait in memory to files.
    mutating func attach(_ spool: Spool, maximumBytes: Int) {
        store.use(spool, maximumBytes: maximumBytes)
        spare = nil
        if active != nil { seal() }
        sealed = sealed.map { copied($0) }
        for segment in sealed.dropLast() { segment.memory.file?.unlock() }
    }

    /// Inserts the events that dead sessions left before the events that wait.
    mutating func adopt(_ orphans: OrphanedSegments) {
        let segments = orphans.segments
        sealed = segments + sealed
        let count = segments.reduce(0) { $0 + $1.waiting }
        waiting += count
        statistics.recovered += UInt64(count)
        drop(orphans.damaged, for: .corrupt)
        drop(orphans.ofOtherClients, for: .otherClient)
        dropExcess()
    }

    /// Leaves the files with waiting events to the next start. Events without a file stay in memory.
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
        // Not when the last reader releases them: an append that never returns must not block the next start.
        for segment in kept { segment.memory.file?.abandon() }
    }

    /// Copies a segment to a file and adds its client; returns the segment itself if no file can be created.
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
        segment.memory.withBytes(in: segment.consumed..<segment.committed) {
            copy.appendFrames($0, events: segment.waiting)
        }
        copy.clientVersion = segment.clientVersion
        copy.begun = segment.begun
        return copy
    }
}

extension CaptureSegment {
    /// Appends whole frames, the first of which has this segment's first event; all become part of the segment at once.
    mutating func appendFrames(_ frames: ByteView, events: Int) {
        guard frames.count >= Frame.headerBytes, let length = frames.load(UInt32.self, at: 0) else { return }
        memory.store(UInt32(0), at: committed + frames.count)
        memory.copy(frames[4..<frames.count], to: committed + 4)
        memory.publish(length, at: committed)
        committed += frames.count
        waiting += events
        consumed = start
    }
}
