import TelemetryModels
import TelemetryStorage
import TelemetryTransport

/// What most events of a batch have in common; an event that differs says so itself.
///
/// A field that some event lacks is not shared: a field that is left out is taken from what is shared.
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

/// Finds the text that more than half of the votes are for, where there is one (Boyer and Moore).
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

    /// Nil where an event has no text.
    var winner: String? { isIncomplete ? nil : candidate }
}
