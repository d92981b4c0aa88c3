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
