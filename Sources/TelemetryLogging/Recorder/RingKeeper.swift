import TelemetryModels

/// Keeps a ring for each recorded scenario while the logger is on.
struct RingKeeper {
    private let gate: ScenarioGate
    private let capture: EventCapture
    private let bootTime: @Sendable () -> BootTime
    private let maximumAge: Double
    private let diagnostics: TelemetryDiagnosticsHandler?
    private var files: RecorderFiles
    private var scenarios: Set<String> = []
    private var level = TelemetryLogLevel.diagnostic
    /// Whether the kept events are logged after the end of a process that did not end its session.
    private var dumpsAfterEnd = false
    /// When the first such process was last active, in seconds since 2001; nil if there is none, or its events were logged.
    private var endedAt: Double?

    init(
        configuration: TelemetryLogger.Configuration, gate: ScenarioGate, capture: EventCapture,
        bootTime: @escaping @Sendable () -> BootTime
    ) {
        self.gate = gate
        self.capture = capture
        self.bootTime = bootTime
        maximumAge = configuration.recorder.maximumAge
        diagnostics = configuration.diagnostics
        files = RecorderFiles(configuration: configuration)
    }

    /// Sets what is recorded, and closes the gate to all else at once. ``update()`` must follow if the logger is on.
    /// - Returns: False if nothing changes.
    mutating func choose(_ scenarios: Set<String>, level: TelemetryLogLevel, dumpsAfterEnd: Bool) -> Bool {
        let scenarios = scenarios.filter { $0.utf8.count <= RingHeader.maximumNameBytes }
        guard scenarios != self.scenarios || level != self.level || dumpsAfterEnd != self.dumpsAfterEnd else {
            return false
        }
        self.scenarios = scenarios
        self.level = level
        self.dumpsAfterEnd = dumpsAfterEnd
        closeGate(except: scenarios)
        return true
    }

    /// Opens rings for the recorded scenarios, with the events that dead owners left, and removes the rings of other scenarios.
    mutating func update() {
        let client = capture.withState(\.clientId)
        guard let client, client.utf8.count <= RingHeader.maximumNameBytes, !scenarios.isEmpty else {
            return empty()
        }
        closeGate(except: scenarios)
        for ring in capture.withState({ $0.recorder.remove(except: scenarios) }) { ring.memory.file?.remove() }
        files.removeCopied(except: scenarios)
        var found = files.open()
        let window = self.window()
        let adopted = files.spool?.adoptRings(of: client, scenarios: scenarios, window: window) ?? AdoptedRings()
        found += adopted.diagnostics
        for scenario in scenarios {
            let rings = adopted.rings[scenario] ?? []
            guard !rings.isEmpty || capture.withState({ $0.recorder.ring(of: scenario) }) == nil else { continue }
            let (memory, failures) = files.allocate()
            found += failures
            let ring = EventRing(
                memory: memory, scenario: scenario, clientId: client, maximumFrameBytes: maximumFrameBytes(of: client))
            let events = rings.map(\.events)
            let replaced = capture.withState { $0.recorder.install(ring, merging: events, window: window) }
            replaced?.memory.file?.remove()
            files.settle(rings, of: scenario, isMapped: memory.isMapped)
        }
        // New events would replace those that are about to be logged.
        if !dumpsAfterEnd || endedAt == nil { openGate() }
        for diagnostic in found { diagnostics?(diagnostic) }
    }

    /// Logs the events that were kept of a scenario, and marks them as dumped.
    /// - Returns: The number of events; nil if the scenario is not recorded now.
    mutating func dumpEvents(of scenario: String, lookback: Double?) -> Int? {
        guard scenarios.contains(scenario) else { return nil }
        // Adopts the events of processes that have ended since.
        update()
        return logEvents(of: scenario, lookback: lookback)
    }

    private func logEvents(of scenario: String, lookback: Double?) -> Int? {
        guard let ring = capture.withState({ $0.snapshot(of: scenario) }) else { return nil }
        let events = ring.events.remaining(in: window(lookback: lookback))
        var dumped = 0
        for request in DumpRequest.requests(for: events, of: scenario, key: ring.key, level: level) {
            // Recording may end between two requests.
            guard let number = capture.withState({ $0.appendDump(request) }) else { break }
            dumped += number
        }
        capture.wake()
        return dumped
    }

    /// Sets the end of a process that did not end its session.
    mutating func setEnd(at seconds: Double) { endedAt = seconds }

    /// Logs the events that were kept until such an end, once, if that is wanted. Called after ``update()``.
    /// - Returns: The number of events.
    mutating func dumpAfterEnd() -> Int {
        guard endedAt != nil else { return 0 }
        defer {
            endedAt = nil
            openGate()
        }
        return dumpsAfterEnd ? scenarios.sorted().reduce(0) { $0 + (logEvents(of: $1, lookback: nil) ?? 0) } : 0
    }

    /// Removes all recorded events, also those that dead owners left.
    mutating func empty() {
        endedAt = nil
        gate.record([:], level: level)
        files.empty(capture.withState { $0.recorder.remove() })
    }

    /// Leaves the recorded events to the next start. Events without a file are removed.
    mutating func leave() {
        gate.record([:], level: level)
        files.leave(capture.withState { $0.recorder.remove() })
    }

    private func openGate() { gate.record(capture.withState(\.recorder.recorded), level: level) }

    private func closeGate(except scenarios: Set<String>) {
        let rings = capture.withState(\.recorder.recorded).filter { scenarios.contains($0.key) }
        gate.record(rings, level: level)
    }

    /// The largest frame of a recorded event that can be dumped: a segment has room for it beside the client's definition.
    private func maximumFrameBytes(of client: String) -> Int {
        let definition = FrameEncoding.definition(clientId: client, begun: bootTime()).count
        return capture.withState(\.store.frameBytes) - definition - Frame.headerBytes - Frame.identityBytes
    }

    private func window(lookback: Double? = nil) -> RecordedEvents.Window {
        RecordedEvents.Window(
            until: capture.secondsSinceReference, maximumAge: maximumAge, lookback: lookback,
            endedAt: dumpsAfterEnd ? endedAt : nil)
    }
}
