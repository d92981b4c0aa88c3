import Foundation
import Synchronization
import TelemetryLogging
import TelemetryModels
import TelemetryNetwork
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct PrivacyTests {
    /// A request whose secrets contain "sesame".
    private func request(to base: URL, path: String = "/users/4711") throws -> URLRequest {
        var parts = try #require(URLComponents(url: base, resolvingAgainstBaseURL: false))
        parts.user = "sesame"
        parts.password = "sesame"
        parts.path = path
        parts.query = "token=sesame"
        parts.fragment = "sesame"
        var request = URLRequest(url: try #require(parts.url))
        request.httpMethod = "PUT"
        request.setValue("Bearer sesame", forHTTPHeaderField: "Authorization")
        request.httpBody = Data("sesame".utf8)
        return request
    }

    @Test("No event has a query, a fragment, credentials, a header or a body", arguments: [200, 404])
    func secrets(status: Int) async throws {
        let server = try LoopbackServer(.answers(status, headers: ["Secret": "sesame"], body: "sesame"))
        let (refusing, socket) = try LoopbackServer.refusingURL()
        defer {
            server.stop()
            withExtendedLifetime(socket) {}
        }
        let bench = await NetworkBench()
        let paths: [(@Sendable (URL) -> String)?] = [nil, \.absoluteString, \.relativeString]
        for path in paths {
            let session = TelemetryURLSession(scenario: bench.scenario, path: path)
            let request = try request(to: server.baseURL)
            _ = try await session.data(for: request)
            _ = try await session.upload(for: request, from: Data("sesame".utf8))
            let (file, _) = try await session.download(for: request)
            try FileManager.default.removeItem(at: file)
            let refused = try self.request(to: refusing)
            let error = await #expect(throws: URLError.self) { _ = try await session.data(for: refused) }
            #expect("\(try #require(error))".contains("sesame"), "the caller receives the error unchanged")
        }
        #expect(server.requests.allSatisfy { $0.target == "/users/4711?token=sesame" })
        let events = try await bench.events
        #expect(events.count == 24)
        for event in events { #expect(!"\(event)".contains("sesame")) }
        #expect(events[0].attributes["path"] == "/users/4711")
        #expect(events[8].attributes["path"] == .string("\(server.baseURL)/users/4711"))
    }

    @Test("A URL without a host has no path in an event, because the path can be the content")
    func dataURL() async throws {
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario) { $0.absoluteString }
        let url = try #require(URL(string: "data:text/plain,sesame"))
        #expect(try await session.data(from: url).0 == Data("sesame".utf8))
        let event = try #require(try await bench.events.last)
        #expect(event.attributes["host"] == nil && event.attributes["path"] == nil)
        #expect(!"\(event)".contains("sesame"))
    }

    @Test("The closure replaces the path, and is called once for a request")
    func path() async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench()
        let calls = Atomic<Int>(0)
        let session = TelemetryURLSession(scenario: bench.scenario) { url in
            calls.wrappingAdd(1, ordering: .relaxed)
            return url.path().replacing(/\d+/, with: "{id}")
        }
        _ = try await session.data(for: try request(to: server.baseURL))
        #expect(try await bench.events.map { $0.attributes["path"] } == ["/users/{id}", "/users/{id}"])
        #expect(calls.load(ordering: .relaxed) == 1)
    }
}
