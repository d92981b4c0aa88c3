import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

/// When the end of a request is logged, and the length of the body then.
struct ResponseBodyTests {
    private func end(_ bench: NetworkBench) async throws -> TelemetryEvent {
        let events = try await bench.events
        #expect(events.map(\.name.first) == ["r", "r"], "each request has one end")
        return try #require(events.last)
    }

    @Test("A streamed body is finished at its end, with the sum of its parts")
    func streamed() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        do {
            let response = try await client.execute(.to(server), timeout: .minutes(1))
            var parts = response.body.makeAsyncIterator()
            stream.send("one")
            #expect(try await parts.next().map { String(buffer: $0) } == "one")
            #expect(try await bench.events.map(\.name) == ["request.started"])
            stream.send("three")
            stream.end()
            var rest = ""
            while let part = try await parts.next() { rest += String(buffer: part) }
            #expect(rest == "three")
            let event = try await end(bench)
            #expect(event.name == "request.finished" && event.attributes["responseBytes"] == 8)
            withExtendedLifetime(response) {}
        }
        _ = try await end(bench)
    }

    @Test("A body that is dropped unread is finished, with no bytes")
    func unread() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream, status: 500))
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        do {
            let response = try await client.execute(.to(server), timeout: .minutes(1))
            #expect(try await bench.events.map(\.name) == ["request.started"])
            withExtendedLifetime(response) {}
        }
        await server.departures()
        let event = try await end(bench)
        #expect(event.name == "request.finished")
        #expect(event.attributes["status"] == 500 && event.attributes["responseBytes"] == 0)
    }

    @Test("A body that is dropped while it is read is finished, with the bytes that were read")
    func partlyRead() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        stream.send("three")
        do {
            let response = try await client.execute(.to(server), timeout: .minutes(1))
            for try await _ in response.body { break }
        }
        await server.departures()
        let event = try await end(bench)
        #expect(event.name == "request.finished" && event.attributes["responseBytes"] == 5)
    }

    @Test(
        "A response without a body is finished before it is released",
        arguments: [(200, "GET"), (204, "GET"), (304, "GET"), (200, "HEAD")])
    func empty(status: Int, method: String) async throws {
        // Their headers announce the body that a GET request with another status has.
        let announcesBody = status == 304 || method == "HEAD"
        let server = try LoopbackServer(announcesBody ? .streams(LoopbackStream(), status: status) : .answers(status))
        defer { server.stop() }
        let bench = await NetworkBench()
        let request = HTTPClientRequest.to(server, method: .init(rawValue: method))
        let response = try await TelemetryHTTPClient(scenario: bench.scenario).execute(request, timeout: .minutes(1))
        let event = try await end(bench)
        #expect(event.name == "request.finished" && event.attributes["responseBytes"] == 0)
        #expect(try await response.body.collect(upTo: 0).readableBytes == 0)
        _ = try await end(bench)
    }

    @Test("A body that ends too early is failed with the name of the error that is thrown")
    func closed() async throws {
        let server = try LoopbackServer(.closesHalfWay)
        defer { server.stop() }
        let bench = await NetworkBench()
        let response = try await TelemetryHTTPClient(scenario: bench.scenario).execute(.to(server), timeout: .minutes(1))
        await #expect(throws: HTTPParserError.invalidEOFState) { try await response.body.collect(upTo: 2000) }
        let event = try await end(bench)
        #expect(event.name == "request.failed" && event.attributes["error"] == "HTTPParserError")
        #expect(event.attributes["status"] == nil && event.attributes["responseBytes"] == nil)
    }

    @Test("Cancelling the task that reads the body is failed with the error cancelled")
    func cancelled() async throws {
        let stream = LoopbackStream()
        let server = try LoopbackServer(.streams(stream))
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        let (parts, continuation) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            let response = try await client.execute(.to(server), timeout: .minutes(1))
            for try await part in response.body { continuation.yield(part.readableBytes) }
        }
        stream.send("three")
        #expect(await parts.first { _ in true } == 5)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await server.departures()
        let event = try await end(bench)
        #expect(event.name == "request.failed" && event.attributes["error"] == "cancelled")
    }

    @Test("A body beyond the caller's limit is finished, because the response did not fail")
    func tooLarge() async throws {
        let server = try LoopbackServer(.answers(200, body: "four"))
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        await #expect(throws: NIOTooManyBytesError.self) {
            try await client.execute(.to(server), timeout: .minutes(1)).body.collect(upTo: 3)
        }
        #expect(try await end(bench).name == "request.finished")
    }
}
