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

struct TelemetryURLSessionTests {
    @Test("The start and the end of a request are logged, with the duration on the clock")
    func finished() async throws {
        let clock = ManualClock()
        let server = try LoopbackServer { _ in
            clock.advance(by: .nanoseconds(1_500_000_400))
            return .answers(200, body: "four")
        }
        defer { server.stop() }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario, elapsed: { clock.now.offset })
        let (data, response) = try await session.data(from: server.baseURL.appending(path: "users/a b"))
        #expect(data == Data("four".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.finished"])
        #expect(events.map(\.level) == [.diagnostic, .info])
        #expect(events.map(\.scenario) == ["NetworkRequests", "NetworkRequests"])
        let common: [String: TelemetryValue] = ["method": "GET", "host": "127.0.0.1", "path": "/users/a%20b"]
        #expect(events[0].attributes == common)
        let more: [String: TelemetryValue] = ["status": 200, "duration": 1.5, "requestBytes": 0, "responseBytes": 4]
        #expect(events[1].attributes == common.merging(more) { $1 })
    }

    @Test("A response with any status is finished", arguments: [204, 304, 400, 404, 429, 500, 503])
    func status(_ status: Int) async throws {
        let server = try LoopbackServer(.answers(status))
        defer { server.stop() }
        let bench = await NetworkBench()
        let (_, response) = try await TelemetryURLSession(scenario: bench.scenario).data(from: server.baseURL)
        #expect((response as? HTTPURLResponse)?.statusCode == status)
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.finished")
        #expect(event.attributes["status"] == .int(Int64(status)))
        #expect(event.attributes["path"] == "/")
    }

    @Test("A refused connection is failed, with the domain and the code of the error that is thrown")
    func refused() async throws {
        let (url, socket) = try LoopbackServer.refusingURL()
        defer { withExtendedLifetime(socket) {} }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario, elapsed: { .zero })
        let request = {
            var request = URLRequest(url: url.appending(path: "orders"))
            request.httpMethod = "POST"
            return request
        }()
        let error = await #expect(throws: URLError.self) { _ = try await session.data(for: request) }
        let events = try await bench.events
        #expect(events.map(\.name) == ["request.started", "request.failed"])
        #expect(events.last?.level == .info)
        let expected: [String: TelemetryValue] = [
            "method": "POST", "host": "127.0.0.1", "path": "/orders", "error": "NSURLErrorDomain",
            "code": .int(Int64(try #require(error).errorCode)), "duration": 0.0,
        ]
        #expect(events.last?.attributes == expected)
    }

    @Test("An error of the host is logged by domain and code, without its description, and thrown unchanged")
    func foreignError() async throws {
        let bench = await NetworkBench()
        let session = TelemetryURLSession(ScriptedProtocol.session, scenario: bench.scenario)
        let url = try #require(URL(string: "scripted://Shop.example/fails?key=sesame"))
        let error = await #expect(throws: (any Error).self) { _ = try await session.data(from: url) }
        #expect(try #require(error).localizedDescription == "no answer from \(url.absoluteString)")
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.failed")
        #expect(event.attributes["error"] == "Shop" && event.attributes["code"] == 7)
        #expect(event.attributes["host"] == "shop.example")
        #expect(!"\(event)".contains("sesame") && !"\(event)".contains("no answer"))
    }

    @Test("A response that is not of HTTP is finished without a status")
    func noStatus() async throws {
        let bench = await NetworkBench()
        let session = TelemetryURLSession(ScriptedProtocol.session, scenario: bench.scenario)
        let url = try #require(URL(string: "scripted://shop.example/answers"))
        #expect(try await session.data(from: url).0 == Data("body".utf8))
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.finished")
        #expect(event.attributes["status"] == nil && event.attributes["responseBytes"] == 4)
    }

    @Test("Cancelling the task cancels the request, which is failed with the error cancelled", arguments: [false, true])
    func cancelled(isDownload: Bool) async throws {
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario)
        let url = server.baseURL
        let task = Task {
            if isDownload { _ = try await session.download(from: url) } else { _ = try await session.data(from: url) }
        }
        _ = await server.nextRequest()
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await server.departures()
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.failed")
        #expect(event.attributes["error"] == "cancelled" && event.attributes["code"] == -999)
    }

    @Test("After a redirection, the status is the last one, and the path the first one")
    func redirected() async throws {
        let elsewhere = try LoopbackServer(.answers(203))
        let server = try LoopbackServer(
            .answers(307, headers: ["Location": elsewhere.baseURL.appending(path: "to").absoluteString]))
        defer {
            server.stop()
            elsewhere.stop()
        }
        let bench = await NetworkBench()
        _ = try await TelemetryURLSession(scenario: bench.scenario).data(from: server.baseURL.appending(path: "from"))
        #expect(elsewhere.requests.map(\.path) == ["/to"])
        let event = try #require(try await bench.events.last)
        #expect(event.attributes["status"] == 203 && event.attributes["path"] == "/from")
    }

    @Test("A delegate receives the events of its request")
    func delegate() async throws {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench()
        let session = TelemetryURLSession(scenario: bench.scenario)
        var request = URLRequest(url: server.baseURL)
        request.httpMethod = "POST"
        let delegate = SentBytes()
        _ = try await session.upload(for: request, from: Data("body".utf8), delegate: delegate)
        _ = try await session.upload(for: request, from: Data("body".utf8))
        #expect(delegate.count == 4)
    }
}

/// Counts the bytes of bodies that were sent; on Linux, Foundation does not call a request's delegate for redirections.
private final class SentBytes: NSObject, URLSessionTaskDelegate {
    private let sent = Atomic<Int64>(0)

    var count: Int64 { sent.load(ordering: .sequentiallyConsistent) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        sent.wrappingAdd(bytesSent, ordering: .sequentiallyConsistent)
    }
}
