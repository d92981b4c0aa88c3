import Foundation
import TelemetryModels
import Testing

struct TelemetryObligationsTests {
    private typealias Cleanup = TelemetryObligations.Cleanup

    private static func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_795_248_000 + seconds) }

    private static func added(_ cleanups: Cleanup...) -> [Cleanup] {
        var obligations = TelemetryObligations()
        for cleanup in cleanups { obligations.add(cleanup) }
        return obligations.cleanups
    }

    @Test("The ends of a client's sessions are one deletion, up to the latest of them", arguments: [[1, 2], [2, 1]])
    func sessions(ends: [TimeInterval]) {
        let merged = Self.added(
            .init(clientId: "a", sessionEnd: Self.date(ends[0])), .init(clientId: "a", sessionEnd: Self.date(ends[1])))
        #expect(merged == [Cleanup(clientId: "a", sessionEnd: Self.date(2))])
    }

    @Test("A deletion of events and the end of a session are the end of a session")
    func eventsOnly() {
        let events = Cleanup(clientId: "a", sessionEnd: Self.date(1), isOfEventsOnly: true, doneAt: Self.date(1))
        let session = Cleanup(clientId: "a", sessionEnd: Self.date(2))
        #expect(Self.added(events, session) == [session])
        #expect(Self.added(session, events) == [session])
        #expect(Self.added(events, events) == [events])
    }

    @Test("What was done once and is still to be repeated counts from the latest time; what was never done is to be done")
    func doneAt() {
        let first = Cleanup(clientId: "a", sessionEnd: Self.date(1), doneAt: Self.date(1))
        let second = Cleanup(clientId: "a", sessionEnd: Self.date(2), doneAt: Self.date(2))
        #expect(Self.added(first, second) == [second])
        #expect(
            Self.added(first, Cleanup(clientId: "a", sessionEnd: Self.date(3)))
                == [Cleanup(clientId: "a", sessionEnd: Self.date(3))])
    }

    @Test("The sessions that ended are kept, each once, and stored only where there are any")
    func namedSessions() throws {
        let first = Cleanup(clientId: "a", sessionEnd: Self.date(1), sessions: ["s", "t"])
        let second = Cleanup(clientId: "a", sessionEnd: Self.date(2), sessions: ["t", "u"])
        let merged = Cleanup(clientId: "a", sessionEnd: Self.date(2), sessions: ["s", "t", "u"])
        #expect(Self.added(first, second) == [merged])
        let stored = try JSONEncoder().encode(TelemetryObligations(cleanups: [merged]))
        #expect(try JSONDecoder().decode(TelemetryObligations.self, from: stored).cleanups == [merged])
        let without = try JSONEncoder().encode(Cleanup(clientId: "a", sessionEnd: Self.date(2)))
        #expect(!String(decoding: without, as: UTF8.self).contains("sessions"))
    }

    @Test("A departure takes the client's sessions with it, and keeps the command that is still to be marked")
    func departure() {
        let session = Cleanup(clientId: "a", sessionEnd: Self.date(1))
        let commanded = Cleanup(clientId: "a", command: "command-1")
        #expect(Self.added(session, commanded) == [commanded])
        #expect(Self.added(commanded, Cleanup(clientId: "a")) == [commanded])
        #expect(Self.added(commanded, session) == [commanded, session], "the session of a client that came back")
    }

    @Test("Deletions of other clients stay apart, in their order")
    func others() {
        let cleanups = ["a", "b", "c"].map { Cleanup(clientId: $0, sessionEnd: Self.date(1)) }
        #expect(Self.added(cleanups[0], cleanups[1], cleanups[2], cleanups[0]) == [cleanups[1], cleanups[2], cleanups[0]])
    }

    @Test("What an earlier version stored one by one is read as one deletion, and stored as one")
    func storedForm() throws {
        let ends = (0..<300).map { #"{"clientId":"a","sessionEnd":"2026-11-21T08:\#(10 + $0 / 60):\#(10 + $0 % 50)Z"}"# }
        let text = #"{"backup":false,"cleanups":[{"clientId":"b"},\#(ends.joined(separator: ","))],"registration":false}"#
        let obligations = try JSONDecoder().decode(TelemetryObligations.self, from: Data(text.utf8))
        #expect(obligations.cleanups.map(\.clientId) == ["b", "a"])
        let latest = try #require(ends.max())
        let stored = try JSONEncoder().encode(obligations)
        #expect(stored.count < 250)
        #expect(latest.contains("08:14:59"))
        #expect(String(decoding: stored, as: UTF8.self).contains("2026-11-21T08:14:59"))
        #expect(try JSONDecoder().decode(TelemetryObligations.self, from: stored) == obligations)
    }
}
