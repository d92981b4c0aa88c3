import NIOCore
import NIOHTTPTypes

/// Reports what happens on a connection to the registry. Reads and discards the rest of a body whose request was answered, so that the
/// peer can send it and then reads the answer (RFC 9112, 9.6).
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum size of a write, in bytes. A larger part of a response is split, because the channel reports complete writes only.
    private static let maximumWrite = 64 << 10
    private let registry: ConnectionRegistry
    private var connection: Connection?
    private var discardsBody = false

    init(registry: ConnectionRegistry) { self.registry = registry }

    func channelActive(context: ChannelHandlerContext) {
        connection = registry.open(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let connection { registry.ended(connection) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let connection {
            let part = unwrapInboundIn(data)
            registry.update(connection) { state, now in
                switch part {
                case .head: state.receivedHead(at: now)
                case .body(let buffer): state.receivedBody(buffer.readableBytes)
                case .end: state.receivedEnd(at: now)
                }
                discardsBody = state.discardsBody
            }
            if discardsBody, case .body = part { return }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // Nobody else asks for what is discarded.
        if discardsBody { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let connection else { return context.write(data, promise: promise) }
        switch unwrapOutboundIn(data) {
        case .head: context.write(data, promise: promise)
        case .body(var buffer):
            let bytes = buffer.readableBytes
            registry.update(connection) { state, now in state.wrote(bytes, at: now) }
            while buffer.readableBytes > Self.maximumWrite, let piece = buffer.readSlice(length: Self.maximumWrite) {
                write(piece, freeing: 0, of: connection, context: context)
            }
            // The parts share one buffer.
            write(buffer, freeing: bytes, of: connection, context: context, promise: promise)
        case .end:
            registry.update(connection) { state, now in
                state.answered(at: now)
                discardsBody = state.discardsBody
            }
            context.write(data, promise: promise)
            if discardsBody { context.read() }
        }
    }

    private func write(
        _ buffer: ByteBuffer, freeing bytes: Int, of connection: Connection, context: ChannelHandlerContext,
        promise: EventLoopPromise<Void>? = nil
    ) {
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { [registry] _ in
            registry.update(connection) { state, now in state.sent(freeing: bytes, at: now) }
        }
        context.write(wrapOutboundOut(.body(buffer)), promise: written)
    }
}
