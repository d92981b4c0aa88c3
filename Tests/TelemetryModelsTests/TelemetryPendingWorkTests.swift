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

    @Test("Ends of a client's sessions merge into one deletion, up to the latest end", arguments: [[1, 2], [2, 1]])
    func sessions(ends: [TimeInterval]) {
        let merged = Self.added(
            .init(clientId: "a", sessionEnd: Self.date(ends[0])), .init(clientId: "a", sessionEnd: Self.date(ends[1])))
        #expect(merged == [Deletion(clientId: "a", sessionEnd: Self.date(2))])
    }

    @Test("A deletion of events merges into the end of a session")
    func eventsOnly() {
        let events = Deletion(clientId: "a", sessionEnd: Self.date(1), eventsOnly: true, doneAt: Self.date(1))
        let session = Deletion(clientId: "a", sessionEnd: Self.date(2))
        #expect(Self.added(events, session) == [session])
        #expect(Self.added(session, events) == [session])
        #expect(Self.added(events, events) == [events])
    }

    @Test("Merged deletions have the latest time at which they were carried out, or none if one was not")
    func doneAt() {
        let first = Deletion(clientId: "a", sessionEnd: Self.date(1), doneAt: Self.date(1))
        let second = Deletion(clientId: "a", sessionEnd: Self.date(2), doneAt: Self.date(2))
        #expect(Self.added(first, second) == [second])
        #expect(
            Self.added(first, Deletion(clientId: "a", sessionEnd: Self.date(3)))
                == [Deletion(clientId: "a", sessionEnd: Self.date(3))])
    }

    @Test("The names of ended sessions are kept without duplicates, and stored only if there are any")
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

    @Test("A deletion of a client replaces the ends of its sessions, and keeps the command to be marked")
    func departure() {
        let session = Deletion(clientId: "a", sessionEnd: Self.date(1))
        let commanded = Deletion(clientId: "a", command: "command-1")
        #expect(Self.added(session, commanded) == [commanded])
        #expect(Self.added(commanded, Deletion(clientId: "a")) == [commanded])
        #expect(Self.added(commanded, session) == [commanded, session], "the session of a client that registered again")
    }

    @Test("Deletions of different clients stay separate, in their order")
    func others() {
        let deletions = ["a", "b", "c"].map { Deletion(clientId: $0, sessionEnd: Self.date(1)) }
        #expect(Self.added(deletions[0], deletions[1], deletions[2], deletions[0]) == [deletions[1], deletions[2], deletions[0]])
    }

    @Test("The stored form has keys only for values that are set, and is read back unchanged")
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

    @Test("A later deletion of the same client keeps its end of consent, until the consent is kept")
    func endOfConsent() {
        var work = TelemetryPendingWork(deletions: [.init(clientId: "a", endsConsent: 3), .init(clientId: "b", endsConsent: 1)])
        work.add(.init(clientId: "a"))
        #expect(work.deletions.map(\.endsConsent) == [1, 3])
        work.keepConsent(of: "a")
        #expect(work.deletions.map(\.endsConsent) == [1, nil])
    }

    @Test("Registrations are kept without duplicates, and only the newest 16")
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
