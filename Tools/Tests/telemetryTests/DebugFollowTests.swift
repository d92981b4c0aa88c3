import Foundation
import Programs
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// Tests of the tool against a server with scripted responses.
struct DebugFollowTests {
    private static func page(_ events: [String], cursor: Int, hasMore: Bool = false, newest: Int? = nil)
        -> LoopbackServer.Behaviour
    {
        let entries = events.map {
            #"""
            {"id":"\#(UUID())","correlation_id":"C","timestamp":"2026-11-21T08:00:00.123Z","source":"ios","level":"info",
             "event":"\#($0)","payload":{},"session_id":"S"}
            """#
        }
        return .answers(
            200,
            body: #"""
                {"cursor":"\#(cursor)","entries":[\#(entries.joined(separator: ","))],"has_more":\#(hasMore),
                 "newest":"\#(newest ?? cursor)"}
                """#)
    }

    /// The paging parameters of each request.
    private func places(_ server: LoopbackServer) -> [String] {
        server.requests.map { request in
            let target = request.head.split(separator: " ")[1]
            return String(
                target.split(separator: "&").filter { $0.hasPrefix("cursor") || $0.hasPrefix("wait") }.joined(separator: "&"))
        }
    }

    private func rest(of lines: RunningTool.Lines) async -> [String] {
        var rest: [String] = []
        while let line = await lines.next() { rest.append(line) }
        return rest
    }

    @Test("Following shows each entry once and in order, across pages and an outage of the relay, until ^C")
    func search() async throws {
        let server = try LoopbackServer(
            Self.page(["1", "2"], cursor: 2, hasMore: true, newest: 7), Self.page(["3"], cursor: 7), .closesHalfWay,
            .answers(503), Self.page(["4", "5"], cursor: 9), Self.page([], cursor: 12), .stalls)
        let tool = try await RunningTool.start([
            "debug", "search", "--follow", "--event", "e", "--relay", server.baseURL.absoluteString, "--json",
        ])
        for _ in 1...7 { _ = await server.nextRequest() }
        tool.interrupt()
        let events = await rest(of: tool.output).map { line in
            line.split(separator: "\"event\":\"").last?.prefix { $0 != "\"" } ?? ""
        }
        let exit = try await tool.ended()
        #expect(events == ["1", "2", "3", "4", "5"])
        let notes = await rest(of: tool.errors)
        #expect(
            notes == [
                "telemetry: No relay is reachable at \(server.baseURL.absoluteString). Retrying.",
                "The relay is reachable again.",
            ])
        #expect(exit.code == 0)
        #expect(
            places(server) == [
                "", "cursor=2&wait=25", "cursor=7&wait=25", "cursor=7&wait=25", "cursor=7&wait=25", "cursor=9&wait=25",
                "cursor=12&wait=25",
            ])
    }

    @Test("tail shows the newest entries and continues; a relay that lost its entries is read from the beginning")
    func tail() async throws {
        let server = try LoopbackServer(
            Self.page(["9", "8"], cursor: 8, hasMore: true, newest: 9), Self.page([], cursor: 1, newest: 1),
            Self.page(["1"], cursor: 1), .stalls)
        let tool = try await RunningTool.start(["debug", "tail", "--last", "2", "--relay", server.baseURL.absoluteString])
        for _ in 1...4 { _ = await server.nextRequest() }
        tool.interrupt()
        let lines = await rest(of: tool.output)
        let exit = try await tool.ended()
        #expect(lines.map { $0.split(separator: " ")[3] } == ["8", "9", "1"])
        #expect(await rest(of: tool.errors) == ["The relay lost its entries; starting from the beginning."])
        #expect(exit.code == 0)
        #expect(places(server) == ["", "cursor=9&wait=25", "cursor=0&wait=25", "cursor=1&wait=25"])
    }

    @Test("An initial failure of the relay ends the command", arguments: [(503, 69), (400, 65), (401, 77)])
    func ends(status: Int, code: Int32) async throws {
        let server = try LoopbackServer(.answers(status))
        for command in [["search", "--follow"], ["tail"]] {
            let result = try await ToolProcess.run(["debug"] + command + ["--relay", server.baseURL.absoluteString])
            #expect(result.code == code)
            #expect(result.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("Following ends at the limit")
    func limit() async throws {
        let server = try LoopbackServer(Self.page(["1", "2"], cursor: 2), Self.page(["3"], cursor: 3), .stalls)
        let result = try await ToolProcess.run([
            "debug", "search", "--follow", "--limit", "3", "--relay", server.baseURL.absoluteString,
        ])
        #expect(result.lines.count == 3)
        #expect(result.code == 0)
        #expect(server.requests.count == 2)
    }
}
