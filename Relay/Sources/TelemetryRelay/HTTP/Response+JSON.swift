import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
@_spi(Tooling) import TelemetrySystem

extension Response {
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .text(String(decoding: try encoder.encode(value), as: UTF8.self), type: "application/json", status, headers)
    }

    static func text(
        _ text: String, type: String = "text/plain; charset=utf-8", _ status: HTTPResponse.Status = .ok,
        _ headers: HTTPFields = [:]
    ) -> Response {
        var headers = headers
        headers[.contentType] = type
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// An error response with a message.
    static func refusal(_ status: HTTPResponse.Status, _ error: String) throws -> Response {
        try json(["error": error], status: status)
    }
}

extension Response {
    /// A response with encoded JSON.
    static func json(_ bytes: [UInt8]) -> Response { json(ByteBuffer(bytes: bytes)) }

    private static func json(_ bytes: ByteBuffer) -> Response {
        Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: bytes))
    }

    /// A response with an object whose members `body` writes.
    static func object(_ body: (inout JSONWriter) throws -> Void) rethrows -> Response {
        var writer = JSONWriter(capacity: 256)
        try writer.object(body)
        return json(writer.withBytes { ByteBuffer(bytes: $0) })
    }
}
