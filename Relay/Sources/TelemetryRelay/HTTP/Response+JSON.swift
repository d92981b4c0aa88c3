import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

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

    /// What is wrong with a request, in a sentence.
    static func refusal(_ status: HTTPResponse.Status, _ error: String) throws -> Response {
        try json(["error": error], status: status)
    }
}
