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
    private var hasFailed = false
    /// Why a segment is in memory instead of a file; reset by ``takeFailure()``.
    private var failure: TelemetryDiagnostic?

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

    /// The most bytes that all segments may have together.
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

    /// Allocates memory for a segment: a file's, or the process's if no file can be created. The first such failure is kept until
    /// ``takeFailure()``, because it must be reported outside the capture's lock: the handler may log.
    mutating func allocate() -> SegmentMemory {
        guard let spool else { return SegmentMemory(count: segmentBytes) }
        do {
            let memory = try spool.allocate(bytes: segmentBytes, ordinal: nextOrdinal())
            hasFailed = false
            return memory
        } catch {
            if !hasFailed {
                failure = TelemetryDiagnostic(
                    kind: .storageFailed, message: "Events are kept in memory for now, not in the spool: \(error)")
            }
            hasFailed = true
            return SegmentMemory(count: segmentBytes)
        }
    }

    var hasUnreportedFailure: Bool { failure != nil }

    /// Returns the failure that is not reported yet, once.
    mutating func takeFailure() -> TelemetryDiagnostic? {
        defer { failure = nil }
        return failure
    }

    /// Returns the next number for a segment or its file; numbers follow the order of events.
    mutating func nextOrdinal() -> UInt64 {
        ordinal += 1
        return ordinal
    }

    /// A segment without frames.
    mutating func segment(in memory: SegmentMemory, session: Session, firstSequence: UInt64) -> CaptureSegment {
        guard memory.isMapped else {
            return CaptureSegment(
                memory: memory, session: session, start: CaptureSegment.reservedBytes, firstSequence: firstSequence,
                begun: bootTime())
        }
        let start = SegmentHeader.write(
            to: memory, session: session, firstSequence: firstSequence, ordinal: nextOrdinal())
        return CaptureSegment(
            memory: memory, session: session, start: start, firstSequence: firstSequence, begun: bootTime())
    }

    /// The most bytes that the frames of one segment can have.
    var frameBytes: Int { segmentBytes - CaptureSegment.reservedBytes - Frame.terminatorBytes }

    /// Whether memory that is no longer needed may be used for new events. Memory that was copied from a file, belongs to a
    /// closed spool or is still read may not.
    func isReusable(_ memory: SegmentMemory) -> Bool {
        memory.count == segmentBytes && memory.isMapped == (spool != nil) && (memory.file == nil || memory.isMapped)
            && !memory.isPinned
    }

    /// Removes the memory's file, if it has one. Called when none of its events is needed any more.
    func discard(_ memory: SegmentMemory) { memory.file?.remove() }
}
