import ArgumentParser
import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

struct QueryFigures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Measure queries that a file store and a relay answer.",
        discussion: "Build the relay first: swift build -c release --package-path Relay --product telemetry-relay")

    @OptionGroup var scale: Scale
    @Option(help: "The number of events in each store.") var events = 5_000_000
    @Option(help: "The relay's executable, of a release build; without one, only the file store is measured.")
    var relayExecutable: String?

    func run() async throws {
        print(Machine.description)
        try await QuerySuite(scale: scale, count: scale.size(events), relayExecutable: relayExecutable).run()
    }
}

/// Measures queries on many events of requests, of 20 clients.
struct QuerySuite {
    private struct Question {
        let name: String
        let query: String
        /// The number of milliseconds for 5,000,000 events.
        let aim: Double
    }

    private static let questions = [
        Question(name: "a rare word", query: "quicksilver", aim: 100),
        Question(name: "a substring", query: "*uicksilv*", aim: 1_200),
        Question(name: "errors by scenario and hour", query: "status:>=500 | stats count() by scenario, time:1h", aim: 1_500),
        Question(name: "a percentile by name", query: "| stats quantile(0.95, duration) by name", aim: 2_000),
        Question(name: "the top scenarios", query: "| top scenario", aim: 100),
        Question(name: "events by hour", query: "| stats count() by time:1h", aim: 100),
        Question(name: "one user's events", query: "user:=u4711", aim: 1_200),
    ]

    private static let clients = 20
    private static let batch = 500

    let scale: Scale
    let count: Int
    let relayExecutable: String?

    func run() async throws {
        let scratch = try Scratch()
        let writer = try FileTelemetryTransport(directory: scratch.url)
        try await store { _ in writer }
        try await ask("file store", FileTelemetryTransport(directory: scratch.url))
        guard let relayExecutable else { return }
        let relay = try await RelayServer.start(relayExecutable)
        var hosts: [any TelemetryEventTransport] = []
        for client in 0..<Self.clients { hosts.append(await relay.host(Self.client(client))) }
        try await store { hosts[$0] }
        try await ask("relay", relay.viewer())
    }

    private func store(_ transport: (_ client: Int) -> any TelemetryEventTransport) async throws {
        var numbers = SplitMix(state: 39)
        for start in stride(from: 0, to: count, by: Self.batch) {
            let client = start / Self.batch % Self.clients
            let events = (start..<min(start + Self.batch, count)).map { Self.event($0, client, &numbers) }
            try await transport(client).append(events)
        }
    }

    private func ask(_ name: String, _ transport: any TelemetryEventTransport) async throws {
        var table = FigureTable(columns: ["asked", "ms", "events a second", "aim (ms)", "× aim", "matched"])
        for question in Self.questions {
            let query = try TelemetryQuery(question.query)
            var times: [Double] = []
            var matched = 0
            for _ in 0..<min(3, scale.effectiveRounds) {
                let started = now()
                matched = try await transport.result(of: query, matching: .all, now: Date()).matched
                times.append(Double(now() - started) / 1e6)
            }
            let median = times.sorted()[times.count / 2]
            let aim = question.aim * Double(count) / 5_000_000
            table.add([
                question.name, ratio(median), ratio(Double(count) / median * 1_000), ratio(aim), ratio(median / aim),
                "\(matched)",
            ])
        }
        print("### \(count) events of \(Self.clients) clients: \(name)\n\n\(table.text())\n")
    }

    private static func client(_ number: Int) -> String { "client-\(number)" }

    private static func event(_ number: Int, _ client: Int, _ numbers: inout SplitMix) -> TelemetryEvent {
        let random = numbers.next()
        let statuses: [Int64] = [200, 200, 200, 200, 200, 204, 301, 404, 200, 503]
        let word = number % 100_000 == 77_777 ? "quicksilver" : "items"
        return TelemetryEvent(
            clientId: Self.client(client), sessionId: "session-\(client)", sequence: UInt64(number),
            name: "request.\(random % 10)", timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(number) / 100),
            threadId: "\(random % 4)",
            property1: "GET /api/v2/\(word)/\(random % 1_000_000) answered by node \(random % 16)",
            attributes: [
                "status": .int(statuses[Int(random / 64 % 10)]), "duration": .double(Double(random / 1_024 % 100_000) / 64),
                "user": .string("u\(random / 4_096 % 50_000)"), "items": .int(Int64(random / 65_536 % 12)),
            ],
            scenario: ["NetworkRequests", "Checkout", "Sync", "Startup"][Int(random / 128 % 4)],
            level: random % 10 == 0 ? .diagnostic : .info)
    }
}

/// A generator of numbers that are the same in every run, as in Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom
/// Number Generators".
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
