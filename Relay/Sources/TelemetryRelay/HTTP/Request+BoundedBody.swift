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

    /// - Throws: `BadBody` where the body says that it is something else; one that says nothing may be.
    func expectJSON() throws {
        guard let type = headers[.contentType]?.prefix(while: { $0 != ";" }).trimmingCharacters(in: .whitespaces).lowercased(),
            type != "application/json", !(type.hasPrefix("application/") && type.hasSuffix("+json"))
        else { return }
        throw BadBody(
            status: .unsupportedMediaType, reason: "\(DebugLogBatch.shortened(type)) is not understood; application/json is")
    }

    /// The whole body, decompressed, and no larger than the limit before and after.
    func boundedBody(limit: Int) async throws -> Data {
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw BadBody(status: .contentTooLarge, reason: "the body has more than \(limit) bytes")
        }
        switch headers[.contentEncoding]?.lowercased() {
        case nil, "identity": return Data(buffer.readableBytesView)
        case "gzip", "x-gzip":
            do {
                return Data(try Gzip.decompress(Array(buffer.readableBytesView), limit: limit))
            } catch is Inflate.TooLarge {
                throw BadBody(status: .contentTooLarge, reason: "the body expands to more than \(limit) bytes")
            } catch let error as Inflate.Malformed {
                throw BadBody(status: .badRequest, reason: "the gzip data is malformed: \(error.what)")
            }
        case .some(let encoding):
            throw BadBody(
                status: .unsupportedMediaType, reason: "\(DebugLogBatch.shortened(encoding)) is not understood; gzip is")
        }
    }
}
