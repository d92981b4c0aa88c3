import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryNetwork
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The lengths of bodies.
struct TransferTests {
    private func server(_ body: String = "response") throws -> LoopbackServer { try LoopbackServer(.answers(200, body: body)) }

    private func post(_ server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.baseURL)
        request.httpMethod = "POST"
        return request
    }

    private func lengths(_ bench: NetworkBench) async throws -> [TelemetryValue?] {
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.finished")
        #expect(event.attributes["method"] == "POST")
        return [event.attributes["requestBytes"], event.attributes["responseBytes"]]
    }

    @Test("A request with a body in memory has its length")
    func body() async throws {
        let (server, bench) = (try server(), await NetworkBench())
        defer { server.stop() }
        var request = post(server)
        request.httpBody = Data("body".utf8)
        let (data, _) = try await TelemetryURLSession(scenario: bench.scenario).data(for: request)
        #expect(data == Data("response".utf8))
        #expect(server.requests.map(\.body) == [Data("body".utf8)])
        #expect(try await lengths(bench) == [4, 8])
    }

    @Test("A request with a body stream is sent, and its length is left out")
    func stream() async throws {
        let (server, bench) = (try server(), await NetworkBench())
        defer { server.stop() }
        var request = post(server)
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        let (data, _) = try await TelemetryURLSession(scenario: bench.scenario).data(for: request)
        #expect(data == Data("response".utf8))
        #expect(server.requests.map(\.body) == [Data("streamed".utf8)])
        #expect(try await lengths(bench) == [nil, 8])
    }

    @Test("An upload from memory has the lengths of its body and of the response")
    func upload() async throws {
        let (server, bench) = (try server(""), await NetworkBench())
        defer { server.stop() }
        let body = Data(repeating: 7, count: 100_000)
        let (data, _) = try await TelemetryURLSession(scenario: bench.scenario).upload(for: post(server), from: body)
        #expect(data.isEmpty)
        #expect(server.requests.map(\.body) == [body])
        #expect(try await lengths(bench) == [100_000, 0])
    }

    @Test("An upload of a file has the file's length")
    func uploadFile() async throws {
        let (server, bench) = (try server(), await NetworkBench())
        defer { server.stop() }
        let session = TelemetryURLSession(scenario: bench.scenario)
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "a file")
            for length in [3, 5] {
                try Data(repeating: 1, count: length).write(to: file)
                _ = try await session.upload(for: post(server), fromFile: file)
                #expect(try await lengths(bench) == [.int(Int64(length)), 8])
            }
        }
        #expect(server.requests.map(\.body.count) == [3, 5])
    }

    @Test("An upload of a missing file is failed")
    func uploadMissingFile() async throws {
        let (server, bench) = (try server(), await NetworkBench())
        defer { server.stop() }
        let session = TelemetryURLSession(scenario: bench.scenario)
        let error = try await withTemporaryDirectory { directory in
            await #expect(throws: (any Error).self) {
                try await session.upload(for: post(server), fromFile: directory.appending(path: "missing"))
            }
        }
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.failed")
        #expect(event.attributes["code"] == (error as NSError?).map { .int(Int64($0.code)) })
        #expect(!"\(event)".contains("missing"))
    }

    @Test("A download has the length of its file, which the caller receives")
    func download() async throws {
        let (server, bench) = (try server("downloaded"), await NetworkBench())
        defer { server.stop() }
        var request = post(server)
        request.httpBody = Data("body".utf8)
        let (file, _) = try await TelemetryURLSession(scenario: bench.scenario).download(for: request)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == Data("downloaded".utf8))
        #expect(try await lengths(bench) == [4, 10])
    }
}
