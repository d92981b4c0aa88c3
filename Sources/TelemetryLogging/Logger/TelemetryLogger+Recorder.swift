package import TelemetryModels

extension TelemetryLogger: TelemetryRecording {
    package func setRecordedScenarios(_ scenarios: Set<String>, level: TelemetryLogLevel) async {
        let scenarios = scenarios.filter { $0.utf8.count <= RingHeader.maximumNameBytes }
        guard scenarios != recorder.scenarios || level != recorder.level else { return }
        recorder.scenarios = scenarios
        recorder.level = level
        // At once, because operations that began earlier may take some time.
        closeGateToRecorder(except: scenarios)
        await inTurn { if phase == .on { updateRecorder() } }
    }

    package func captureRecorded(_ scenario: String, lookback: Double?) async -> Int? {
        var count: Int?
        await inTurn {
            guard phase == .on, !isPaused, recorder.scenarios.contains(scenario) else { return }
            // Adopts the events of processes that have ended since.
            updateRecorder()
            guard let ring = capture.withState({ $0.snapshot(of: scenario) }) else { return }
            let events = ring.events.remaining(in: recorderWindow(lookback: lookback))
            var captured = 0
            for request in CaptureRequest.requests(for: events, of: scenario, key: ring.key, level: recorder.level) {
                // Recording may end between two requests.
                guard let number = capture.withState({ $0.capture(request) }) else { break }
                capture.createFiles()
                captured += number
            }
            count = captured
            if captured > 0 { deliverSoon() }
        }
        return count
    }

    /// Opens rings for the recorded scenarios, with the events that dead owners left, and removes the rings of other scenarios.
    func updateRecorder() {
        let client = capture.withState(\.clientId)
        guard let client, client.utf8.count <= RingHeader.maximumNameBytes, !recorder.scenarios.isEmpty else {
            return emptyRecorder()
        }
        closeGateToRecorder(except: recorder.scenarios)
        let scenarios = recorder.scenarios
        for ring in capture.withState({ $0.recorder.remove(except: scenarios) }) { ring.memory.file?.remove() }
        recorder.removeCopied(except: scenarios)
        var diagnostics = recorder.open()
        let window = recorderWindow()
        let adopted = recorder.spool?.adoptRings(of: client, scenarios: scenarios, window: window) ?? AdoptedRings()
        diagnostics += adopted.diagnostics
        for scenario in scenarios {
            let rings = adopted.rings[scenario] ?? []
            guard !rings.isEmpty || capture.withState({ $0.recorder.ring(of: scenario) }) == nil else { continue }
            let (memory, failures) = recorder.allocate()
            diagnostics += failures
            let ring = EventRing(
                memory: memory, scenario: scenario, clientId: client, maximumFrameBytes: maximumFrameBytes(of: client))
            let events = rings.map(\.events)
            let replaced = capture.withState { $0.recorder.install(ring, merging: events, window: window) }
            replaced?.memory.file?.remove()
            recorder.settle(rings, of: scenario, isMapped: memory.isMapped)
        }
        gate.record(capture.withState(\.recorder.recorded), level: recorder.level)
        for diagnostic in diagnostics { configuration.diagnostics?(diagnostic) }
    }

    /// The largest frame of a recorded event that can be captured: a segment has room for it beside the client's definition.
    private func maximumFrameBytes(of client: String) -> Int {
        let definition = FrameEncoding.definition(clientId: client, begun: bootTime()).count
        return capture.withState(\.store.frameBytes) - definition - Frame.headerBytes - Frame.identityBytes
    }

    /// Removes all recorded events, also those that dead owners left.
    func emptyRecorder() {
        gate.record([:], level: recorder.level)
        recorder.empty(capture.withState { $0.recorder.remove() })
    }

    /// Leaves the recorded events to the next start. Events without a file are removed.
    func leaveRecorder() {
        gate.record([:], level: recorder.level)
        recorder.leave(capture.withState { $0.recorder.remove() })
    }

    private func closeGateToRecorder(except scenarios: Set<String>) {
        let rings = capture.withState(\.recorder.recorded).filter { scenarios.contains($0.key) }
        gate.record(rings, level: recorder.level)
    }

    private func recorderWindow(lookback: Double? = nil) -> RecordedEvents.Window {
        RecordedEvents.Window(
            until: capture.secondsSinceReference, maximumAge: configuration.recorder.maximumAge, lookback: lookback)
    }
}
