import ArgumentParser
import Foundation
import Testing
import ViewerKit

@testable import telemetry

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct DebugCommandTests {
    private static let answer = #"""
        {"cursor":"9","entries":[{"correlation_id":"C","event":"cart\u001b[2J","id":"I","level":"warn",
        "payload":{"n":18446744073709551615,"a":[true,null]},"session_id":"S","source":"ios",
        "timestamp":"2026-11-21T03:00:00.123Z"}],"has_more":false,"newest":"12"}
        """#

    @Test("Command-line options become the relay's query parameters")
    func query() throws {
        let command = try #require(
            try DebugCommand.parseAsRoot([
                "search", "--source", "ios", "--correlation", "C", "--text", "a+b &c", "--relay", "http://127.0.0.1:1/x",
            ]) as? DebugSearchCommand)
        let client = try command.relay.client(["TELEMETRY_DEBUG_TOKEN": "secret"])
        let request = client.request(try command.filter.items(), cursor: "7", newestFirst: false, limit: 5)
        #expect(
            request.url?.absoluteString
                == "http://127.0.0.1:1/x/debug/logs?source=ios&correlation_id=C&text=a%2Bb%20%26c&limit=5&order=asc&cursor=7")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer secret")
    }

    @Test("The options of events are accepted: a date before now, --grep and --format")
    func vocabulary() throws {
        let command = try #require(
            try DebugCommand.parseAsRoot([
                "search", "--since", "2026-11-21T14:03:00+02:00", "--until", "5m", "--grep", "cart", "--format", "json",
            ]) as? DebugSearchCommand)
        let items = try command.filter.items()
        #expect(items.first { $0.name == "since" }?.value == "2026-11-21T12:03:00.000Z")
        #expect(items.first { $0.name == "until" }?.value?.hasSuffix("Z") == true)
        #expect(items.first { $0.name == "text" }?.value == "cart")
        #expect(command.filter.output.format == .json)
        #expect(throws: (any Error).self) { try DebugCommand.parseAsRoot(["search", "--since", "soon"]) }
    }

    @Test("A page is decoded, and the text of an entry has no control characters")
    func page() throws {
        let page = try DebugLogClient.Page(Data(Self.answer.utf8))
        #expect(page.cursor == "9")
        #expect(page.newest == "12")
        let line = try #require(page.entries.first)
        #expect(line.text.hasPrefix("2026-11-21T03:00:00.123Z WARN  ios     cart"))
        #expect(line.text.hasSuffix(#"{"a":[true,null],"n":18446744073709551615} C"#))
        #expect(!line.text.contains("\u{1B}"))
        #expect(line.json.contains(#""n":18446744073709551615"#))
        #expect(!line.json.contains("\n"))
    }

    @Test(
        "An invalid response of the relay is reported",
        arguments: ["", "[]", "{}", #"{"cursor":"1","newest":"1","has_more":true,"entries":[7]}"#])
    func noRelay(body: String) {
        #expect(throws: ToolFailure.self) { try DebugLogClient.Page(Data(body.utf8)) }
    }

    @Test("An invalid address and an unreachable relay are reported")
    func unreachable() async throws {
        let parsed = try #require(
            try DebugCommand.parseAsRoot(["tail", "--relay", "nowhere"]) as? DebugTailCommand)
        #expect(throws: (any Error).self) { try parsed.relay.client([:]) }
        let client = DebugLogClient(base: try #require(URL(string: "http://127.0.0.1:1")), token: nil)
        await #expect(throws: ToolFailure(.unavailable, "No relay is reachable at http://127.0.0.1:1.")) {
            try await client.page([], limit: 1)
        }
    }
}
