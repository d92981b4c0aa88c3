import TelemetryModels

/// The client and the session of new events, and the events that the flight recorder kept.
extension CaptureState {
    mutating func setClientId(_ clientId: String?, isActivated: Bool) {
        guard clientId != self.clientId else { return }
        self.clientId = clientId
        clientChanges += 1
        clientVersion = clientChanges
        if clientId == nil, !isActivated {
            // The next client is unknown: a segment without a definition gets its client at activation.
            if active != nil { seal() }
            clientVersion = 0
        }
    }

    /// Sets the client of events that were held before it was known; their frames contain no definition.
    mutating func stampHeld() {
        for index in sealed.indices where sealed[index].clientAtConsumed == nil { sealed[index].clientAtConsumed = clientId }
        let clientId = clientId
        changeActive { segment, _ in segment.clientAtConsumed = segment.clientAtConsumed ?? clientId }
    }

    mutating func beginSession() {
        if active != nil { seal() }
        session = Session(id: EventIdentifier.randomPrefix())
        nextSequence = 1
        highestOffered = 0
        reportedDrops = ReportedDrops()
    }

    /// A copy of a scenario's ring; nil if the scenario is not recorded.
    func snapshot(of scenario: String) -> EventRing.Snapshot? {
        isAccepting ? recorder.ring(of: scenario)?.snapshot : nil
    }

    /// Appends a ring's events to the events that wait for delivery, and marks them as dumped.
    ///
    /// An event is marked after it was appended. If the process is killed in between, it is dumped again, with the same
    /// identifier.
    /// - Returns: the number of events; nil if the scenario is not recorded.
    mutating func appendDump(_ request: DumpRequest) -> Int? {
        guard isAccepting, let ring = recorder.ring(of: request.scenario) else { return nil }
        let before = nextSequence
        for (entry, bytes) in request.frames {
            // The result is not needed, because the caller always wakes the consumer.
            bytes.withByteView { frame in _ = append(EncodedFrame(frame)) }
            ring.markDumped(entry, of: request.key)
        }
        return Int(nextSequence &- before)
    }
}
