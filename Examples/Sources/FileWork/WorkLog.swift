public import TelemetryLogging
public import TelemetryModels

/// Logs the events of the work: the host's logger, with a separate count and back pressure.
public struct WorkLog: Sendable {
    /// The maximum number of pending events, because work that never waits can log faster than events are delivered.
    private static let maximumPending = 250

    private let logger: any TelemetryLogging
    private let tally: Tally
    private let pass: Int

    /// - Parameter pass: The number of the run, which is an attribute of every event.
    public init(logger: any TelemetryLogging, tally: Tally, pass: Int) {
        self.logger = logger
        self.tally = tally
        self.pass = pass
    }

    /// Logs one event. While its scenario is disabled, neither the subject nor the attributes are evaluated.
    public func log(
        _ name: String, scenario: String, level: TelemetryLogLevel, subject: @autoclosure () -> String,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        // The logger evaluates the subject only if it records the event, so the tally counts recorded events.
        var isRecorded = false
        let number = tally.next
        logger.logEvent(
            name: name, scenario: scenario, level: level,
            property1: {
                isRecorded = true
                return subject()
            }(),
            attributes: attributes().merging(["run": .int(Int64(pass)), "number": .int(Int64(number))]) { own, _ in own })
        if isRecorded { tally.count(number, session: logger.currentSessionId, pass: pass, scenario: scenario) }
    }

    /// Waits for the logger if many events are pending. Called between pieces of work.
    public func keepUp() async {
        guard tally.takeUnflushed(atLeast: Self.maximumPending) else { return }
        await logger.flush()
    }

    /// Waits until all logged events are delivered to the transport.
    public func finish() async { await logger.flush() }
}
