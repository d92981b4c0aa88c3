import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// A body that is refused.
    struct BadBody: Error {
        let status: HTTPResponse.Status
        let reason: String
    }

    /// The media type of the body in lower case, without parameters.
    var mediaType: String? {
        headers[.contentType]?.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// - Parameters:
    ///   - strictly: whether a missing media type and other JSON types (`+json`) are refused as well. A page of another site
    ///     cannot send `application/json` without a CORS preflight.
    ///   - other: another media type that the route supports.
    /// - Throws: `BadBody` if the media type is not JSON.
    func expectJSON(strictly: Bool = false, orElse other: String? = nil) throws {
        let type = mediaType
        if type == "application/json" { return }
        if !strictly, type.map({ $0.hasPrefix("application/") && $0.hasSuffix("+json") }) ?? true { return }
        throw BadBody(
            status: .unsupportedMediaType,
            reason: "\(DebugLogBatch.shortened(type ?? "a body without a type")) is not supported; use "
                + ["application/json", other].compactMap(\.self).joined(separator: " or "))
    }

    /// The complete body, decompressed. The limit applies before and after decompression.
    func boundedBody(limit: Int) async throws -> ByteBuffer {
        let buffer: ByteBuffer
        do {
            if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
                throw NIOTooManyBytesError(maxBytes: limit)
            }
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw BadBody(status: .contentTooLarge, reason: "the body has more than \(limit) bytes")
        } catch let error where !(error is CancellationError) {
            // The caller has closed the connection, or sends what is not HTTP.
            throw BadBody(status: .badRequest, reason: "the body is not complete")
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
                status: .unsupportedMediaType, reason: "\(DebugLogBatch.shortened(encoding)) is not supported; use gzip")
        }
    }

    /// The complete body of a request whose body must be JSON.
    func jsonBody(limit: Int) async throws -> ByteBufferView {
        try expectJSON(strictly: true)
        return try await boundedBody(limit: limit).readableBytesView
    }
}
