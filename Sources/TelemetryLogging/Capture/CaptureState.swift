import TelemetryModels

/// The state that the capture's lock guards.
struct CaptureState {
    var isAccepting = true
    var session: Session
    var clientId: String?
    /// Identifies the current client; a segment with another version gets a definition first. 0 is no client, as in a segment
    /// without a definition.
    var clientVersion: UInt64 = 0
    var clientChanges: UInt64 = 0
    var nextSequence: UInt64 = 1
    /// The highest sequence that the transport may have received.
    var highestOffered: UInt64 = 0
    /// Filled segments, oldest first.
    var sealed: [CaptureSegment] = []
    /// The segment that is written to, as it was when the cursor was last set.
    private var snapshot: CaptureSegment?
    private var cursor = WriteCursor()
    /// Memory for the next segment, so that a full segment is replaced without an allocation.
    var spare: SegmentMemory?
    /// Requests for the files of segments that were begun in memory.
    var fileRequests: [MemoryRequest] = []
    /// The number of events in all segments.
    var waiting = 0
    /// The number of waiting events that wakes the consumer; `Int.max` while it is awake.
    var consumerWakeAt = Int.max { didSet { wakeAt = isWatchIdle ? 0 : consumerWakeAt } }
    /// Whether the next event, recorded or kept, wakes the triggers' watch.
    var isWatchIdle = false { didSet { wakeAt = isWatchIdle ? 0 : consumerWakeAt } }
    /// The number of waiting events that wakes consumer and watch; 0 for the next event.
    private var wakeAt = Int.max
    /// What triggers have read; nil if there are none.
    var watch: WatchPosition?
    var store: SegmentStore
    var recorder: FlightRecorder
    var logged: UInt64 = 0
    /// The statistics without `logged` and `waiting`.
    var statistics = TelemetryLogger.Statistics()
    /// Losses that were not yet reported in the stream.
    var unreportedDrops: [TelemetryLogger.DropCause: UInt64] = [:]
    /// Reports of losses that wait for delivery.
    var reportedDrops = ReportedDrops()
    /// The consumer's current reading.
    var reading: Reading?

    var nextToken: UInt64 = 0
    /// The number of events that a shutdown left in the spool.
    var leftInSpool = 0

    struct Reading {
        let token: UInt64
        var memory: SegmentMemory
        var inFlight: Int
        /// Whether the segment was dropped while its events were being delivered.
        var isOrphaned = false
    }

    init(session: Session, store: SegmentStore, recorder: FlightRecorder) {
        self.session = session
        self.store = store
        self.recorder = recorder
    }

    /// The segment that is written to.
    var active: CaptureSegment? {
        get {
            guard var segment = snapshot else { return nil }
            segment.committed = cursor.committed
            segment.waiting = cursor.waiting
            return segment
        }
        set {
            snapshot = newValue
            cursor = newValue.map(WriteCursor.init) ?? WriteCursor()
        }
    }

    /// Changes the segment that is written to, if there is one. The closure also gets the next event's sequence.
    mutating func changeActive(_ change: (inout CaptureSegment, _ nextSequence: UInt64) -> Void) {
        guard var segment = active else { return }
        change(&segment, nextSequence)
        active = segment
    }

    /// Appends an event's frame.
    /// - Returns: whether the consumer must be woken, and files created.
    @inline(__always)
    mutating func append(_ frame: EncodedFrame) -> Bool {
        let sequence = nextSequence
        if !cursor.accepts(frame.count, clientVersion: clientVersion) {
            guard makeRoom(for: frame.count) else {
                drop(1, for: .oversized)
                return false
            }
        }
        cursor.append(frame, sequence: sequence)
        nextSequence &+= 1
        waiting &+= 1
        logged &+= 1
        return waiting >= wakeAt && wake()
    }

    /// Appends an event of a scenario that is off to its ring.
    /// - Returns: whether the watch must be woken.
    @inline(__always)
    mutating func keep(_ frame: EncodedFrame, in ring: Int, seconds: Double) -> Bool {
        recorder.append(frame, to: ring, seconds: seconds)
        return wakeAt == 0 && wake(isConsumer: false)
    }

    @inline(never)
    private mutating func wake(isConsumer: Bool = true) -> Bool {
        isWatchIdle = false
        if isConsumer { consumerWakeAt = .max }
        return true
    }

    /// Makes the active segment accept a frame of `count` bytes of the current client; false if the frame is too large.
    @inline(never)
    private mutating func makeRoom(for count: Int) -> Bool {
        let definition = definitionFrame()
        let needed = count + definition.count
        guard needed <= store.frameBytes else { return false }
        if let active, needed > active.free { seal() }
        if active == nil {
            let memory = takeSpare() ?? SegmentMemory(count: store.segmentBytes)
            active = store.segment(in: memory, session: session, firstSequence: nextSequence)
            requestFile(for: memory)
            unlockOlderFiles()
            // `append` then makes its caller create the file.
            if !fileRequests.isEmpty { wakeAt = 0 }
        }
        if active?.clientVersion != clientVersion {
            let version = clientVersion
            changeActive { segment, _ in
                segment.appendDefinition(definition)
                segment.clientVersion = version
            }
        }
        return true
    }

    /// Closes the active segment.
    mutating func seal() {
        guard let full = active else { return }
        active = nil
        if full.waiting > 0 { sealed.append(full) } else { recycle(full) }
        dropExcess()
    }

    /// Makes room for one more segment by dropping the oldest ones if there are too many.
    mutating func dropExcess() {
        var bytes = sealed.reduce(store.segmentBytes) { $0 + store.cost(of: $1.memory) }
        let filed = sealed.reduce(0) { $1.memory.file == nil ? $0 : $0 + store.cost(of: $1.memory) }
        let maximumBytes = store.maximumBytes(filed: filed)
        while bytes > maximumBytes, let oldest = sealed.first {
            bytes -= store.cost(of: oldest.memory)
            dropOldest()
        }
    }

    /// Takes the spare memory. If it is a file's, which was unlocked when it was sealed, the file is locked again.
    private mutating func takeSpare() -> SegmentMemory? {
        guard let memory = spare else { return nil }
        spare = nil
        if let file = memory.file, !file.lock() {
            store.discard(memory)
            return nil
        }
        return memory
    }

    private mutating func dropOldest() {
        let oldest = sealed.removeFirst()
        var lost = oldest.waiting
        if oldest.session === session {
            let handedOver = isRead(oldest) ? reading?.inFlight ?? 0 : 0
            let first = oldest.firstSequence &+ UInt64(handedOver)
            unreportedDrops.merge(reportedDrops.takeBack(from: first, count: lost - handedOver), uniquingKeysWith: +)
        }
        if isRead(oldest) {
            lost -= reading?.inFlight ?? 0
            reading?.isOrphaned = true
            waiting -= lost
            store.discard(oldest.memory)
        } else {
            waiting -= lost
            recycle(oldest)
        }
        drop(lost, for: .full)
    }

    mutating func recycle(_ segment: CaptureSegment) {
        if spare == nil, store.isReusable(segment.memory) {
            spare = segment.memory
        } else {
            store.discard(segment.memory)
        }
    }

    /// Counts events that are lost. The caller changes `waiting`.
    mutating func drop(_ count: Int, for cause: TelemetryLogger.DropCause, unreported hidden: Int = 0) {
        guard count > 0 else { return }
        statistics.dropped[cause, default: 0] += UInt64(count)
        if cause.isLoss, count > hidden { unreportedDrops[cause, default: 0] += UInt64(count - hidden) }
    }

    private func definitionFrame() -> [UInt8] { FrameEncoding.definition(clientId: clientId, begun: store.bootTime()) }
}
