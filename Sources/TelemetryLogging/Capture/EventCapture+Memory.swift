import TelemetryModels
import TelemetrySystem

/// Memory for segments, allocated outside the capture's lock: no thread waits for a file that another one creates.
extension EventCapture {
    /// Allocates the next segment's memory if the active segment is more than half full.
    func prepareSpare() {
        guard let request = withState({ $0.requestSpare() }) else { return }
        // A failure is found again and reported when the memory is needed.
        guard let memory = try? request.allocate() else { return }
        withState { $0.install(memory, for: request) }
    }

    /// Creates the files of the segments that the calling thread began in memory, and copies the segments to them.
    func createFiles() {
        while let request = withState({ $0.takeFileRequest() }) {
            do throws(FileError) {
                let memory = try request.allocate()
                withState { $0.install(memory, for: request) }
            } catch {
                // The handler may log.
                if let failure = withState({ $0.fail(request, error) }) { diagnostics?(failure) }
            }
        }
    }
}

/// A request for the memory of a segment.
struct MemoryRequest: Sendable {
    /// The spool that the memory is a file of; nil for memory of the process.
    let spool: Spool?
    let bytes: Int
    let ordinal: UInt64
    /// The memory of the segment that is copied to the file; nil if the memory is for the next segment.
    let replaced: SegmentMemory?
    /// The thread that made the request.
    let thread = CurrentThread.number

    func allocate() throws(FileError) -> SegmentMemory {
        guard let spool else { return SegmentMemory(count: bytes) }
        return try spool.allocate(bytes: bytes, ordinal: ordinal)
    }
}

extension CaptureState {
    fileprivate mutating func requestSpare() -> MemoryRequest? {
        guard spare == nil, let active, active.free < store.segmentBytes / 2 else { return nil }
        return store.request(replacing: nil)
    }

    fileprivate mutating func takeFileRequest() -> MemoryRequest? {
        let thread = CurrentThread.number
        return fileRequests.firstIndex { $0.thread == thread }.map { fileRequests.remove(at: $0) }
    }

    /// Copies the segment to its file. If the segment is gone, the file is kept for the next one.
    fileprivate mutating func install(_ memory: SegmentMemory, for request: MemoryRequest) {
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
    fileprivate mutating func fail(_ request: MemoryRequest, _ error: FileError) -> TelemetryDiagnostic? {
        guard store.spool === request.spool else { return nil }
        let isFirst = !store.hasFailed
        store.hasFailed = true
        dropExcess()
        guard isFirst else { return nil }
        return TelemetryDiagnostic(
            kind: .storageFailed, message: "Events are kept in memory for now, not in the spool: \(error)")
    }
}
