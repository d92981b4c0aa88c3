import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The body could not be taken.
    struct BadBody: Error {
        let status: HTTPResponse.Status
        let reason: String
    }

    /// - Parameter strictly: whether a body that says nothing of its type, or is another kind of JSON, is refused as well: no
    ///   page of another site can send one that is `application/json` without being asked about.
    /// - Throws: `BadBody` where the body says that it is something else.
    func expectJSON(strictly: Bool = false) throws {
        let type = headers[.contentType]?.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
        if type == "application/json" { return }
        if !strictly, type.map({ $0.hasPrefix("application/") && $0.hasSuffix("+json") }) ?? true { return }
        throw BadBody(
            status: .unsupportedMediaType,
            reason: "\(DebugLogBatch.shortened(type ?? "a body without a type")) is not understood; application/json is")
    }

    /// The whole body, decompressed, and no larger than the limit before and after.
    func boundedBody(limit: Int) async throws -> ByteBuffer {
        let buffer: ByteBuffer
        do {
            if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
                throw NIOTooManyBytesError(maxBytes: limit)
            }
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw BadBody(status: .contentTooLarge, reason: "the body has more than \(limit) bytes")
        }
        switch headers[.contentEncoding]?.lowercased() {
        case nil, "identity": return buffer
        case "gzip", "x-gzip":
            do {
                return try GzipBody.decompress(buffer, limit: limit)
            } catch GzipBody.Failure.tooLarge {
                throw BadBody(status: .contentTooLarge, reason: "the body expands to more than \(limit) bytes")
            } catch GzipBody.Failure.malformed(let reason) {
                throw BadBody(status: .badRequest, reason: "the gzip data is malformed: \(reason)")
            }
        case .some(let encoding):
            throw BadBody(
                status: .unsupportedMediaType, reason: "\(DebugLogBatch.shortened(encoding)) is not understood; gzip is")
        }
    }

    /// The whole body of a request that has to bear JSON.
    func jsonBody(limit: Int) async throws -> ByteBufferView {
        try expectJSON(strictly: true)
        return try await boundedBody(limit: limit).readableBytesView
    }
}
