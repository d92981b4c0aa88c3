import Foundation
import TelemetryModels
import Testing

struct TelemetryPendingWorkTests {
    private typealias Deletion = TelemetryPendingWork.Deletion

    private static func date(_ seconds: TimeInterval) -> Date { Date(timeIntervalSince1970: 1_795_248_000 + seconds) }

    private static func added(_ deletions: Deletion...) -> [Deletion] {
        var work = TelemetryPendingWork()
        for deletion in deletions { work.add(deletion) }
        return work.deletions
    }

    @Test("The ends of a client's sessions are one deletion, up to the latest of them", arguments: [[1, 2], [2, 1]])
    func sessions(ends: [TimeInterval]) {
        let merged = Self.added(
            .init(clientId: "a", sessionEnd: Self.date(ends[0])), .init(clientId: "a", sessionEnd: Self.date(ends[1])))
        #expect(merged == [Deletion(clientId: "a", sessionEnd: Self.date(2))])
    }

    @Test("A deletion of events and the end of a session are the end of a session")
    func eventsOnly() {
        let events = Deletion(clientId: "a", sessionEnd: Self.date(1), eventsOnly: true, doneAt: Self.date(1))
        let session = Deletion(clientId: "a", sessionEnd: Self.date(2))
        #expect(Self.added(events, session) == [session])
        #expect(Self.added(session, events) == [session])
        #expect(Self.added(events, events) == [events])
    }

    @Test("What was done once and is still to be repeated counts from the latest time; what was never done is to be done")
    func doneAt() {
        let first = Deletion(clientId: "a", sessionEnd: Self.date(1), doneAt: Self.date(1))
        let second = Deletion(clientId: "a", sessionEnd: Self.date(2), doneAt: Self.date(2))
        #expect(Self.added(first, second) == [second])
        #expect(
            Self.added(first, Deletion(clientId: "a", sessionEnd: Self.date(3)))
                == [Deletion(clientId: "a", sessionEnd: Self.date(3))])
    }

    @Test("The sessions that ended are kept, each once, and stored only where there are any")
    func namedSessions() throws {
        let first = Deletion(clientId: "a", sessionEnd: Self.date(1), sessions: ["s", "t"])
        let second = Deletion(clientId: "a", sessionEnd: Self.date(2), sessions: ["t", "u"])
        let merged = Deletion(clientId: "a", sessionEnd: Self.date(2), sessions: ["s", "t", "u"])
        #expect(Self.added(first, second) == [merged])
        let stored = try JSONEncoder().encode(TelemetryPendingWork(deletions: [merged]))
        #expect(try JSONDecoder().decode(TelemetryPendingWork.self, from: stored).deletions == [merged])
        let without = try JSONEncoder().encode(Deletion(clientId: "a", sessionEnd: Self.date(2)))
        #expect(!String(decoding: without, as: UTF8.self).contains("sessions"))
    }

    @Test("A departure takes the client's sessions with it, and keeps the command that is still to be marked")
    func departure() {
        let session = Deletion(clientId: "a", sessionEnd: Self.date(1))
        let commanded = Deletion(clientId: "a", command: "command-1")
        #expect(Self.added(session, commanded) == [commanded])
        #expect(Self.added(commanded, Deletion(clientId: "a")) == [commanded])
        #expect(Self.added(commanded, session) == [commanded, session], "the session of a client that came back")
    }

    @Test("Deletions of other clients stay apart, in their order")
    func others() {
        let deletions = ["a", "b", "c"].map { Deletion(clientId: $0, sessionEnd: Self.date(1)) }
        #expect(Self.added(deletions[0], deletions[1], deletions[2], deletions[0]) == [deletions[1], deletions[2], deletions[0]])
    }

    @Test("What version 1 stored one by one is read as one deletion, and stored as one")
    func storedForm() throws {
        let ends = (0..<300).map { #"{"clientId":"a","sessionEnd":"2026-11-21T08:\#(10 + $0 / 60):\#(10 + $0 % 50)Z"}"# }
        let text = #"{"backup":false,"cleanups":[{"clientId":"b"},\#(ends.joined(separator: ","))],"registration":false}"#
        let work = try JSONDecoder().decode(Version1PendingWork.self, from: Data(text.utf8)).work(ofClient: "a")
        #expect(work.deletions.map(\.clientId) == ["b", "a"])
        let latest = try #require(ends.max())
        let stored = try JSONEncoder().encode(work)
        #expect(stored.count < 250)
        #expect(latest.contains("08:14:59"))
        #expect(String(decoding: stored, as: UTF8.self).contains("2026-11-21T08:14:59"))
        #expect(try JSONDecoder().decode(TelemetryPendingWork.self, from: stored) == work)
    }

    @Test("The stored form has a key for what there is, and none for the rest; it is read back as it was")
    func codable() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ work: TelemetryPendingWork) throws -> String { String(decoding: try encoder.encode(work), as: UTF8.self) }
        #expect(try text(TelemetryPendingWork()) == "{}")
        #expect(try JSONDecoder().decode(TelemetryPendingWork.self, from: Data("{}".utf8)).isEmpty)
        let settings = TelemetrySettings(telemetryRequested: true, clientIdentifier: "a")
        let work = TelemetryPendingWork(
            registrations: ["a"], backup: .holds(settings), deletions: [.init(clientId: "b", endsConsent: 2, endsOnReturn: true)])
        #expect(
            try text(work)
                == #"{"backedUp":{"clientIdentifier":"a","telemetryRequested":true,"telemetrySendingEnabled":false},"#
                + #""deletions":[{"clientId":"b","endsConsent":2,"endsOnReturn":true}],"registrations":["a"]}"#)
        #expect(try JSONDecoder().decode(TelemetryPendingWork.self, from: Data(text(work).utf8)) == work)
        #expect(try text(TelemetryPendingWork(backup: .outdated)) == #"{"isBackupOutdated":true}"#)
    }

    @Test("An end of consent is kept by a later deletion of the same client, unless the client is wanted again")
    func endOfConsent() {
        var work = TelemetryPendingWork(deletions: [.init(clientId: "a", endsConsent: 3), .init(clientId: "b", endsConsent: 1)])
        work.add(.init(clientId: "a"))
        #expect(work.deletions.map(\.endsConsent) == [1, 3])
        work.keepConsent(of: "a")
        #expect(work.deletions.map(\.endsConsent) == [1, nil])
    }

    @Test("Registrations are kept once each, the newest of them where there are too many")
    func registrations() {
        var work = TelemetryPendingWork(registrations: ["a", "b", "a"])
        #expect(work.registrations == ["a", "b"])
        work.removeRegistration(of: "a")
        #expect(work.registrations == ["b"])
        for number in 1...100 { work.addRegistration(of: "\(number)") }
        #expect(work.registrations.count == 16)
        #expect(work.registrations.last == "100")
    }
}
