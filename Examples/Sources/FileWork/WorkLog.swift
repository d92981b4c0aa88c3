public import TelemetryLogging
public import TelemetryModels

/// What the work logs through: the host's logger, a count of its own, and back pressure.
public struct WorkLog: Sendable {
    /// A job that never waits can outrun what carries its events away. This many at most are on their way.
    private static let mostOnTheWay = 250

    private let logger: any TelemetryLogging
    private let tally: Tally
    private let pass: Int

    /// - Parameter pass: Which run of the work this is; every event carries it.
    public init(logger: any TelemetryLogging, tally: Tally, pass: Int) {
        self.logger = logger
        self.tally = tally
        self.pass = pass
    }

    /// Logs one event. Where its scenario is off, neither the subject nor the attributes are evaluated.
    public func log(
        _ name: String, scenario: String, level: TelemetryLogLevel, subject: @autoclosure () -> String,
        attributes: @autoclosure () -> [String: TelemetryValue] = [:]
    ) {
        // The logger evaluates the subject only of an event that it records: that is how the tally knows.
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

    /// Waits for the logger where much is on its way; called between pieces of work.
    public func keepUp() async {
        guard tally.takeUnflushed(atLeast: Self.mostOnTheWay) else { return }
        await logger.flush()
    }

    /// Waits until everything logged so far is with the transport.
    public func finish() async { await logger.flush() }
}
