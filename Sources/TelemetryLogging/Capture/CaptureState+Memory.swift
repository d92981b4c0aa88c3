import TelemetryModels
import TelemetrySystem

extension CaptureState {
    /// Keeps events in files from now on, and requests files for the events that wait in memory.
    mutating func attach(_ spool: Spool, maximumBytes: Int) {
        store.use(spool, maximumBytes: maximumBytes)
        spare = nil
        // They are adopted now.
        leftInSpool = 0
        if active != nil { seal() }
        for index in sealed.indices {
            if !sealed[index].hasHeader { addHeader(at: index) }
            if sealed[index].hasHeader { requestFile(for: sealed[index].memory) }
        }
    }

    /// Requests the file of a segment, unless its memory is a file's already or there is no spool.
    mutating func requestFile(for memory: SegmentMemory) {
        guard store.spool != nil, memory.file == nil else { return }
        fileRequests.append(store.request(replacing: memory))
    }

    /// Unlocks the files of all segments but the newest one, whose lock shows that the owner runs.
    func unlockOlderFiles() {
        let files = (sealed + [active].compactMap(\.self)).compactMap(\.memory.file)
        for file in files.dropLast() { file.unlock() }
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
        reading = nil
        store.leaveSpool()
        leaveFiles()
    }

    /// Leaves the files with waiting events to the next start.
    mutating func leaveFiles() {
        let kept = sealed.filter { $0.memory.file != nil }
        sealed.removeAll { $0.memory.file != nil }
        let count = kept.reduce(0) { $0 + $1.waiting }
        waiting -= count
        leftInSpool += count
        // Not when the last reader releases them: an append that never returns must not block the next start.
        for segment in kept { segment.memory.file?.abandon() }
    }

    /// Adds a header and the client to a sealed segment that was begun without a spool, if there is room.
    private mutating func addHeader(at index: Int) {
        let segment = sealed[index]
        let memory = SegmentMemory(count: store.segmentBytes)
        var copy = store.segment(in: memory, session: segment.session, firstSequence: segment.firstSequence)
        let definition = FrameEncoding.definition(clientId: segment.clientAtConsumed, begun: segment.begun)
        guard copy.free >= definition.count + segment.committed - segment.consumed else { return }
        copy.appendDefinition(definition)
        segment.memory.withBytes(in: segment.consumed..<segment.committed) {
            copy.appendFrames($0, events: segment.waiting)
        }
        copy.clientVersion = segment.clientVersion
        copy.begun = segment.begun
        sealed[index] = copy
    }

    mutating func requestSpare() -> MemoryRequest? {
        guard spare == nil, let active, active.free < store.segmentBytes / 2 else { return nil }
        return store.request(replacing: nil)
    }

    mutating func takeFileRequest() -> MemoryRequest? {
        let thread = CurrentThread.number
        return fileRequests.firstIndex { $0.thread == thread }.map { fileRequests.remove(at: $0) }
    }

    /// Copies the segment to its file. If the segment is gone, the file is kept for the next one.
    mutating func install(_ memory: SegmentMemory, for request: MemoryRequest) {
        let isInUse = store.spool === request.spool
        if isInUse { store.hasFailed = false }
        if let replaced = request.replaced, isInUse || store.spool == nil, move(replaced, to: memory) {
            // A shutdown meanwhile has kept the segment in memory.
            if isInUse { unlockOlderFiles() } else { leaveFiles() }
        } else if isInUse, spare == nil, store.isReusable(memory) {
            spare = memory
        } else {
            store.discard(memory)
        }
    }

    /// Copies the segment in `memory` to a file; false if it was delivered or dropped.
    private mutating func move(_ memory: SegmentMemory, to file: SegmentMemory) -> Bool {
        if let index = sealed.firstIndex(where: { $0.memory === memory }) {
            sealed[index].move(to: file)
        } else if active?.memory === memory {
            changeActive { segment, _ in segment.move(to: file) }
        } else {
            return false
        }
        // All offsets stay the same.
        if reading?.memory === memory { reading?.memory = file }
        return true
    }

    /// Keeps the segment in memory.
    /// - Returns: the failure to report.
    mutating func fail(_ request: MemoryRequest, _ error: FileError) -> TelemetryDiagnostic? {
        guard store.spool === request.spool else { return nil }
        let isFirst = !store.hasFailed
        store.hasFailed = true
        dropExcess()
        guard isFirst else { return nil }
        return TelemetryDiagnostic(
            kind: .storageFailed, message: "Events are kept in memory for now, not in the spool: \(error)")
    }
}
