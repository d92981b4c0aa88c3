import Foundation
import TelemetryModels

/// Allocates the memory of segments within the configured limits.
struct SegmentStore {
    let segmentBytes: Int
    private let memoryLimit: Int
    let bootTime: @Sendable () -> BootTime
    private(set) var spool: Spool?
    private var spoolBytes = 0
    private var ordinal: UInt64 = 0
    /// Whether the last file could not be created.
    var hasFailed = false

    /// Creates a store that uses memory of the process, in at least eight segments: if all are full, at most an eighth of the
    /// events is dropped at once.
    init(configuration: TelemetryLogger.Configuration, bootTime: @escaping @Sendable () -> BootTime) {
        self.bootTime = bootTime
        memoryLimit = configuration.memoryLimit
        let least = configuration.spoolDirectory == nil ? memoryLimit : min(memoryLimit, configuration.spool.maximumBytes)
        segmentBytes = min(max(least / 8 & ~4_095, CaptureSegment.minimumBytes), CaptureSegment.maximumBytes)
    }

    /// Uses files for segments from now on.
    mutating func use(_ spool: Spool, maximumBytes: Int) {
        self.spool = spool
        spoolBytes = maximumBytes
        hasFailed = false
    }

    /// The maximum number of bytes that all segments may have together.
    ///
    /// If no more files can be created, the existing ones are kept and the memory limit is added.
    /// - Parameter filed: The number of bytes in files.
    func maximumBytes(filed: Int) -> Int {
        if spool == nil { return memoryLimit }
        return hasFailed ? min(memoryLimit + filed, spoolBytes) : spoolBytes
    }

    /// The number of bytes that a segment counts as. A small one that a dead session left counts as more than its size, because
    /// each start reads its file again.
    func cost(of memory: SegmentMemory) -> Int { max(memory.count, min(segmentBytes, 128 << 10)) }

    /// Uses memory of the process for segments from now on.
    mutating func leaveSpool() {
        spool?.close()
        spool = nil
    }

    /// Returns a request for memory of a segment: a file's, or the process's without a spool.
    mutating func request(replacing memory: SegmentMemory?) -> MemoryRequest {
        MemoryRequest(spool: spool, bytes: segmentBytes, ordinal: nextOrdinal(), replaced: memory)
    }

    /// Returns the next number for a segment or its file; the numbers of segments follow the order of events.
    private mutating func nextOrdinal() -> UInt64 {
        ordinal += 1
        return ordinal
    }

    /// A segment without frames. With a spool it has the layout of a file, even if its memory is not a file's yet.
    mutating func segment(in memory: SegmentMemory, session: Session, firstSequence: UInt64) -> CaptureSegment {
        guard spool != nil else {
            return CaptureSegment(
                memory: memory, session: session, start: CaptureSegment.reservedBytes, firstSequence: firstSequence,
                begun: bootTime())
        }
        let start = SegmentHeader.write(
            to: memory, session: session, firstSequence: firstSequence, ordinal: nextOrdinal())
        return CaptureSegment(
            memory: memory, session: session, start: start, firstSequence: firstSequence, begun: bootTime())
    }

    /// The maximum number of bytes that the frames of one segment can have.
    var frameBytes: Int { segmentBytes - CaptureSegment.reservedBytes - Frame.terminatorBytes }

    /// Whether memory that is no longer needed may be used for new events. Memory that was copied from a file, or belongs
    /// to a closed spool, may not.
    func isReusable(_ memory: SegmentMemory) -> Bool {
        memory.count == segmentBytes && memory.isMapped == (spool != nil) && (memory.file == nil || memory.isMapped)
    }

    /// Removes the memory's file, if it has one. Called when none of its events is needed any more.
    func discard(_ memory: SegmentMemory) { memory.file?.remove() }
}
