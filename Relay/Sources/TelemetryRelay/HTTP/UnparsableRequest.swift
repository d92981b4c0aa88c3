import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
@_spi(Tooling) import TelemetrySystem

/// Answers a request that is not HTTP with a problem document. Hummingbird answers it without a body, and closes the connection.
final class UnparsableRequest: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var hasFailed = false

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { hasFailed = true }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A response to an earlier request has a body.
        guard hasFailed, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headerFields[.contentLength] == "0"
        else { return context.write(data, promise: promise) }
        hasFailed = false
        var writer = JSONWriter()
        Problem.invalidArgument("This is not an HTTP request, or its head is too large.").write(to: &writer)
        head.headerFields[.contentType] = "application/problem+json"
        head.headerFields[.contentLength] = "\(writer.bytes.count)"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: writer.bytes))), promise: promise)
    }
}
