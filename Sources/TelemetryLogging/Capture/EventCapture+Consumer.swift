import TelemetryModels

/// What the delivering side asks of the capture.
extension EventCapture {
    var waiting: Int { withState { $0.waiting } }

    /// Arms the wake-up; false if so many events wait already.
    func sleep(untilWaiting count: Int) -> Bool {
        withState { state in
            guard state.waiting < count else { return false }
            state.wakeAt = count
            return true
        }
    }

    /// Losses that the stream has not told of; they count as told.
    func takeLosses() -> [TelemetryLogger.DropCause: UInt64]? {
        withState { state in
            guard state.isAccepting, !state.unreportedDrops.isEmpty else { return nil }
            // What waits no longer has arrived, or was taken back.
            state.reportedDrops.keep(from: state.firstWaiting)
            defer { state.unreportedDrops = [:] }
            return state.unreportedDrops
        }
    }

    /// Keeps an event that tells of losses.
    func tell(_ losses: [TelemetryLogger.DropCause: UInt64], text: String) {
        let attributes = losses.map { ($0.key.rawValue, TelemetryValue.int(Int64(clamping: $0.value))) }
        recordSlowly(
            CapturedEvent(
                name: TelemetryLogger.droppedEventName, scenario: nil, level: .info, property1: text,
                attributes: Dictionary(uniqueKeysWithValues: attributes), secondsSinceReference: secondsSinceReference,
                thread: CurrentThread.number), reporting: losses)
    }
}

extension CaptureState {
    /// The oldest sequence of this session that waits; the next one where none does.
    fileprivate var firstWaiting: UInt64 {
        (sealed.first { $0.session === session } ?? active)?.firstSequence ?? nextSequence
    }

    /// Ends a reading whose reader was ended: its events wait on.
    mutating func abandonReading() {
        guard let reading else { return }
        self.reading = nil
        guard reading.isOrphaned else { return }
        waiting -= reading.inFlight
        drop(reading.inFlight, for: .full)
    }
}
