/// Where segments' memory comes from, and how much of it there may be.
struct SegmentStore {
    let segmentBytes: Int
    let maximumSegments: Int

    /// Memory of the process, in at least eight segments, so that what goes when all is full is an eighth at most.
    init(maximumBytes: Int) {
        segmentBytes = min(max(maximumBytes / 8 & ~4_095, Segment.minimumBytes), Segment.maximumBytes)
        maximumSegments = max(maximumBytes / segmentBytes, 2)
    }

    /// The bytes of a segment that frames can have.
    var frameBytes: Int { segmentBytes }

    func allocate() -> SegmentMemory { SegmentMemory(count: segmentBytes) }

    func segment(in memory: SegmentMemory, session: Session, baseSequence: UInt64) -> Segment {
        Segment(memory: memory, session: session, start: 0, baseSequence: baseSequence)
    }

    func isReusable(_ memory: SegmentMemory) -> Bool { memory.count == segmentBytes }

    /// Called when nothing in the segment is needed any more.
    func discard(_ segment: Segment) {}
}
