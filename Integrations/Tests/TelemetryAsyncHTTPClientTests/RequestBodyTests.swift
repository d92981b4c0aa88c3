import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TelemetryAsyncHTTPClient
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import Testing

struct RequestBodyTests {
    /// `requestBytes` of a request with this body, which the server receives as "body" if there is one.
    private func length(_ body: HTTPClientRequest.Body?) async throws -> TelemetryValue? {
        let server = try LoopbackServer(.answers(200))
        defer { server.stop() }
        let bench = await NetworkBench()
        _ = try await TelemetryHTTPClient(scenario: bench.scenario)
            .execute(.to(server, method: .POST, body: body), timeout: .minutes(1))
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [body == nil ? "" : "body"])
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.finished")
        return event.attributes["requestBytes"]
    }

    @Test("The length of a body that is known is logged")
    func known() async throws {
        #expect(try await length(nil) == 0)
        #expect(try await length(.bytes(ByteBuffer(string: "body"))) == 4)
        #expect(try await length(.bytes(Array("body".utf8))) == 4)
        // A sequence without contiguous storage is a stream.
        #expect(try await length(.bytes("body".utf8.lazy.map { $0 }, length: .known(Int64(4)))) == 4)
        #expect(try await length(.stream(parts, length: .known(Int64(4)))) == 4)
    }

    @Test("The length of a streamed body that is unknown is left out")
    func unknown() async throws {
        #expect(try await length(.stream(parts, length: .unknown)) == nil)
    }

    private var parts: AsyncStream<ByteBuffer> {
        let (parts, continuation) = AsyncStream.makeStream(of: ByteBuffer.self)
        for part in ["bo", "dy"] { continuation.yield(ByteBuffer(string: part)) }
        continuation.finish()
        return parts
    }

    @Test("An error of the host's body is logged by its type, without its description, and thrown unchanged")
    func failing() async throws {
        struct ShopError: Error, CustomStringConvertible { let description = "sesame" }
        let server = try LoopbackServer(.stalls)
        defer { server.stop() }
        let bench = await NetworkBench()
        let client = TelemetryHTTPClient(scenario: bench.scenario)
        let body = HTTPClientRequest.Body.stream(
            AsyncThrowingStream<ByteBuffer, any Error>(unfolding: { throw ShopError() }), length: .unknown)
        await #expect(throws: ShopError.self) {
            try await client.execute(.to(server, method: .POST, body: body), timeout: .minutes(1))
        }
        let event = try #require(try await bench.events.last)
        #expect(event.name == "request.failed")
        #expect(event.attributes["error"] == "ShopError" && event.attributes["code"] == nil)
        #expect(!"\(event)".contains("sesame"))
    }
}
