import TelemetryModels
import TelemetrySystem
import TelemetryTransport

/// The values that most events of a batch share. An event with another value contains its own.
///
/// A field that any event lacks is not shared, because a missing field has the shared value.
struct SharedEventFields {
    var clientId: String?
    var sessionId: String?
    var name: String?
    var threadId: String?
    var scenario: String?
    var property1: String?
    var level: TelemetryLogLevel?
    var device: TelemetryDeviceInfo?

    init() {}

    init(_ events: ArraySlice<TelemetryEvent>) {
        var (client, session, name, thread) = (Majority(), Majority(), Majority(), Majority())
        var (scenario, property) = (Majority(), Majority())
        var diagnostic = 0
        var (device, deviceVotes) = (events.first?.device, 0)
        for event in events {
            client.vote(event.clientId)
            session.vote(event.sessionId)
            name.vote(event.name)
            thread.vote(event.threadId)
            scenario.vote(event.scenario)
            property.vote(event.property1)
            if event.level == .diagnostic { diagnostic += 1 }
            if let known = device, known.isCopy(of: event.device) || known == event.device {
                deviceVotes += 1
            } else if deviceVotes == 0 {
                (device, deviceVotes) = (event.device, 1)
            } else {
                deviceVotes -= 1
            }
        }
        (clientId, sessionId, threadId) = (client.winner, session.winner, thread.winner)
        (self.name, self.scenario, property1) = (name.winner, scenario.winner, property.winner)
        level = diagnostic * 2 > events.count ? .diagnostic : .info
        self.device = device
    }
}

/// Finds the string that more than half of the votes are for, if there is one (the Boyer–Moore majority vote algorithm).
private struct Majority {
    private var candidate: String?
    private var lead = 0
    private var isIncomplete = false

    mutating func vote(_ text: String?) {
        guard let text else {
            isIncomplete = true
            return
        }
        if let candidate, candidate.isIdentical(to: text) {
            lead += 1
        } else if lead == 0 {
            (candidate, lead) = (text, 1)
        } else {
            lead -= 1
        }
    }

    /// Nil if any event has no string.
    var winner: String? { isIncomplete ? nil : candidate }
}
