/// Memory for the next segment, made by the consumer so that no thread that logs has to wait for it.
extension EventCapture {
    /// Allocates the next segment's memory if the active segment is more than half full.
    func prepareSpare() {
        guard let request = withState({ $0.requestSpare() }) else { return }
        let memory: SegmentMemory
        if let spool = request.spool {
            // A failure is found again and reported when the memory is needed.
            guard let mapped = try? spool.allocate(bytes: request.bytes, ordinal: request.ordinal) else { return }
            memory = mapped
        } else {
            memory = SegmentMemory(count: request.bytes)
        }
        withState { $0.install(memory) }
    }
}

extension CaptureState {
    struct SpareRequest: Sendable {
        let spool: Spool?
        let bytes: Int
        let ordinal: UInt64
    }

    fileprivate mutating func requestSpare() -> SpareRequest? {
        guard spare == nil, let active, active.free < store.segmentBytes / 2 else { return nil }
        return store.spareRequest()
    }

    fileprivate mutating func install(_ memory: SegmentMemory) {
        if spare == nil, store.isReusable(memory) { spare = memory } else { store.discard(memory) }
    }
}

extension SegmentStore {
    fileprivate mutating func spareRequest() -> CaptureState.SpareRequest {
        CaptureState.SpareRequest(spool: spool, bytes: segmentBytes, ordinal: nextOrdinal())
    }
}
