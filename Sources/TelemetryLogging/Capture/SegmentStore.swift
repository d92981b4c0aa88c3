import Foundation
import TelemetryModels

/// Where segments' memory comes from, and how much of it there may be.
struct SegmentStore {
    let segmentBytes: Int
    private let memoryLimit: Int
    let bootTime: @Sendable () -> BootTime
    private(set) var spool: Spool?
    private var spoolBytes = 0
    private var ordinal: UInt64 = 0
    private var hasFailed = false
    /// That memory had to do, until ``takeFailure()``.
    private var failure: TelemetryDiagnostic?

    /// Memory of the process, in at least eight segments, so that what goes when all is full is an eighth at most.
    init(configuration: TelemetryLogger.Configuration, bootTime: @escaping @Sendable () -> BootTime) {
        self.bootTime = bootTime
        memoryLimit = configuration.memoryLimit
        let least = configuration.spoolDirectory == nil ? memoryLimit : min(memoryLimit, configuration.spool.maximumBytes)
        segmentBytes = min(max(least / 8 & ~4_095, CaptureSegment.minimumBytes), CaptureSegment.maximumBytes)
    }

    /// From now on segments are files.
    mutating func use(_ spool: Spool, maximumBytes: Int) {
        self.spool = spool
        spoolBytes = maximumBytes
        hasFailed = false
    }

    /// The most bytes that segments may have together.
    ///
    /// Where no more files can be had, what is in files stays there, and as much as without a spool comes on top.
    /// - Parameter filed: How many of them are in files.
    func maximumBytes(filed: Int) -> Int {
        if spool == nil { return memoryLimit }
        return hasFailed ? min(memoryLimit + filed, spoolBytes) : spoolBytes
    }

    /// What a segment takes of the bound. A small one that a dead session left costs more than its bytes: each start reads its
    /// file again.
    func cost(of memory: SegmentMemory) -> Int { max(memory.count, min(segmentBytes, 128 << 10)) }

    /// From now on segments are memory of the process.
    mutating func leaveSpool() {
        spool?.close()
        spool = nil
    }

    /// Memory for a segment: a file's, or the process's where no file can be had, which is noted once, to be told
    /// outside the capture's lock: the handler may log.
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

    var hasUntoldFailure: Bool { failure != nil }

    /// What is to be told of, once.
    mutating func takeFailure() -> TelemetryDiagnostic? {
        defer { failure = nil }
        return failure
    }

    /// Numbers segments and their files in the order of their events.
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
            to: memory.base, session: session, firstSequence: firstSequence, ordinal: nextOrdinal())
        return CaptureSegment(
            memory: memory, session: session, start: start, firstSequence: firstSequence, begun: bootTime())
    }

    /// The most bytes that frames in one segment can have.
    var frameBytes: Int { segmentBytes - CaptureSegment.reservedBytes - Frame.terminatorBytes }

    /// Whether memory that is no longer needed may hold new events: what was copied from a file, or comes from a spool that
    /// was left, may not, nor what is still read.
    func isReusable(_ memory: SegmentMemory) -> Bool {
        memory.count == segmentBytes && memory.isMapped == (spool != nil) && (memory.file == nil || memory.isMapped)
            && !memory.isClaimed
    }

    /// Called when nothing in the memory is needed any more.
    func discard(_ memory: SegmentMemory) { memory.file?.remove() }
}
