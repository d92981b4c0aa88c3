import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

struct PrivacyTests {
    private static let target = "/users/4711?token=sesame#sesame"

    /// A request whose secrets contain "sesame".
    private func request(to url: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: url)
        request.method = .PUT
        request.headers.add(name: "Authorization", value: "Bearer sesame")
        request.body = .bytes(ByteBuffer(string: "sesame"))
        return request
    }

    @Test("No event has a query, a fragment, credentials, a header or a body", arguments: [200, 404])
    func secrets(status: Int) async throws {
        let server = try LoopbackServer(.answers(status, headers: ["Secret": "sesame"], body: "sesame"))
        defer { server.stop() }
        let bench = await NetworkBench()
        let authority = server.baseURL.absoluteString.replacing("http://", with: "")
        let paths: [(@Sendable (URL) -> String)?] = [nil, \.absoluteString, \.relativeString]
        for path in paths {
            let client = TelemetryHTTPClient(scenario: bench.scenario, path: path)
            let request = request(to: "http://sesame:sesame@\(authority)\(Self.target)")
            let response = try await client.execute(request, timeout: .minutes(1))
            #expect(try await String(buffer: response.body.collect(upTo: 6)) == "sesame")
        }
        #expect(server.requests.map(\.target) == Array(repeating: "/users/4711?token=sesame", count: 3))
        let events = try await bench.events
        #expect(events.count == 6)
        for event in events { #expect(!"\(event)".contains("sesame")) }
        #expect(events[0].attributes["path"] == "/users/4711")
        #expect(events[2].attributes["path"] == .string("\(server.baseURL)/users/4711"))
    }

    @Test("An error is logged without its values, which can be parts of the URL or of headers")
    func errors() async throws {
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        var header = request(to: "http://127.0.0.1\(Self.target)")
        header.headers.add(name: "Cookie", value: "sesame\r\n")
        for request in [request(to: "sesame://127.0.0.1\(Self.target)"), header] {
            let error = await #expect(throws: HTTPClientError.self) { try await client.execute(request, timeout: .minutes(1)) }
            #expect("\(try #require(error))".contains("sesame"), "the caller receives the error unchanged")
        }
        await #expect(throws: HTTPClientError.invalidURL) { try await client.execute(request(to: ""), timeout: .minutes(1)) }
        let events = try await bench.events
        for event in events { #expect(!"\(event)".contains("sesame")) }
        let names = ["unsupportedScheme", "invalidHeaderFieldValues", "invalidURL"]
        #expect(events.compactMap { $0.attributes["error"] } == names.map { .string("HTTPClientError.\($0)") })
    }

    @Test(
        "A request to a Unix socket has neither host nor path",
        arguments: ["http+unix://%2Fhome%2Fsesame", "unix:///home/sesame"])
    func socket(url: String) async throws {
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario) { $0.absoluteString }
        await #expect(throws: (any Error).self) { try await client.execute(request(to: url), deadline: .now()) }
        let events = try await bench.events
        #expect(events.map { $0.attributes["method"] } == ["PUT", "PUT"])
        for event in events {
            #expect(event.attributes["host"] == nil && event.attributes["path"] == nil)
            #expect(!"\(event)".contains("sesame"))
        }
    }

    @Test("The closure replaces the path, and is called once for a request")
    func path() async throws {
        let server = try LoopbackServer(.answers(200, body: "body"))
        defer { server.stop() }
        let bench = await NetworkBench()
        let calls = Atomic<Int>(0)
        let client = TelemetryHTTPClient(scenario: bench.scenario) { url in
            calls.wrappingAdd(1, ordering: .relaxed)
            return url.path().replacing(/\d+/, with: "{id}")
        }
        let response = try await client.execute(.to(server, Self.target), timeout: .minutes(1))
        _ = try await response.body.collect(upTo: 4)
        #expect(try await bench.events.map { $0.attributes["path"] } == ["/users/{id}", "/users/{id}"])
        #expect(calls.load(ordering: .relaxed) == 1)
    }
}
