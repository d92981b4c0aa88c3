import Foundation
import Measure
import Peers
import Programs
import TelemetryHTTP
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport

/// What a hundred alerts that no event matches cost the relay.
extension RelaySuite {
    /// The queries of one kind, by the number of the alert.
    private static let kinds: [(name: String, query: @Sendable (Int) -> String)] = [
        ("a name and a severity", { "name:=failed.\($0) severity:>=error" }),
        ("an attribute above a number", { "duration:>\(10 + $0)" }),
        ("a word", { word($0) }),
        ("some of each", { number in kinds[number % 3].query(number) }),
    ]
    private static let one = "one alert"
    private static let last = "last.event"

    /// Of the appends alone, while alerts are evaluated beside them; and of the relay until it has evaluated the last event.
    func alerts() async throws {
        for (title, isAppend) in [("Time to store, with alerts", true), ("Processor time until alerts are evaluated", false)] {
            let result = try await Comparison(
                "\(title), per event in batches of \(Self.batch)", rounds: scale.effectiveRounds,
                contenders: [contender(Self.one, isAppend: isAppend) { _ in nil }]
                    + Self.kinds.map { kind in contender(Self.title(kind.name), isAppend: isAppend, query: kind.query) },
                aims: Self.kinds.map { .of(Self.title($0.name), atMost: 1.05, times: Self.one) }
            ).run()
            print(result.text())
        }
    }

    private static func title(_ kind: String) -> String { "and 99 for \(kind)" }

    private func contender(_ name: String, isAppend: Bool, query: @escaping @Sendable (Int) -> String?) -> Contender {
        let each = scale.size(20_000) / Self.batch * Self.batch
        let batches = (0..<Self.connections).map { session in
            StoreSuite.batches(of: SampleEvents.make(each, session: session, client: "client-\(session)"), size: Self.batch)
        }
        return Contender(name) {
            let receiver = try LoopbackServer { _ in .answers(200) }
            let relay = try await RelayServer.start(executable)
            try await relay.addWebhook("receiver", receiver.baseURL, with: executable)
            let queries = ["name:=\(Self.last)"] + (1..<100).compactMap(query)
            for (number, query) in queries.enumerated() { try relay.addAlert("alert.\(number)", query, to: "receiver") }
            let requests = try await Self.requests(batches, asLines: true)
            let (start, processorStart) = (now(), relay.process.processorSeconds)
            try Self.send(requests, to: [relay])
            let duration = Double(now() - start)
            let host = await relay.host("last")
            try await host.append([TelemetryEvent(eventId: "last", clientId: "last", sessionId: "last", name: Self.last)])
            let message = await receiver.nextRequest().map { String(decoding: $0.body, as: UTF8.self) }
            guard message?.contains("\"alert.0\"") ?? false else { throw Miscount(description: "another alert fired") }
            let processorTime = (relay.process.processorSeconds - processorStart) * 1e9
            return (isAppend ? duration : processorTime) / Double(Self.connections * each)
        }
    }

    /// One of 100 words that are in no event.
    private static func word(_ number: Int) -> String {
        let subjects = ["card", "account", "upload", "session", "token", "quota", "cache", "socket", "battery", "payment"]
        let events = [
            "Declined", "Exhausted", "Refused", "Expired", "Corrupted", "Interrupted", "Unavailable", "Rejected", "Missing",
            "Overflow",
        ]
        return subjects[number % subjects.count] + events[number / subjects.count]
    }
}

extension RelayServer {
    fileprivate func addWebhook(_ name: String, _ url: URL, with executable: String) async throws {
        let command = try await RunningProgram.start(
            URL(fileURLWithPath: executable), ["webhook", "add", name, url.absoluteString, "--database", database],
            environment: RelayProgram.environment)
        guard case .exited(0) = try await command.end() else { throw Miscount(description: "no webhook was added") }
    }

    fileprivate func addAlert(_ name: String, _ query: String, to webhook: String) throws {
        let body = "{\"query\":\"\(query)\",\"webhook\":\"\(webhook)\"}"
        let connection = try RawConnection(port: port)
        try connection.send(RawRequest.bytes("PUT", "/v1/alerts/\(name)", client: nil, body: Array(body.utf8)))
        let (status, answer) = try connection.response()
        guard status / 100 == 2 else { throw Miscount(description: "\(status) \(String(decoding: answer, as: UTF8.self))") }
    }
}
