import Foundation
import NIOCore
import NIOHTTPTypes

/// Reports what happens on a connection to the registry. Reads and discards the rest of a body whose request was answered, so that the
/// peer can send it and then reads the answer (RFC 9112, 9.6).
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum size of a write, in bytes. A larger part of a response is split, because the channel reports complete writes only.
    private static let maximumWrite = 64 << 10
    /// After what time without an acknowledgement of sent bytes the connection ends: 30 seconds. See the manual's page tcp(7).
    static var acknowledgementTimeout: (option: ChannelOptions.Types.SocketOption, value: SocketOptionValue) {
        #if os(Linux)
        let (name, value) = (TCP_USER_TIMEOUT, SocketOptionValue(30_000))
        #else
        let (name, value) = (TCP_RXT_CONNDROPTIME, SocketOptionValue(30))
        #endif
        return (.init(level: .tcp, name: .init(rawValue: name)), value)
    }

    private let registry: ConnectionRegistry
    private var connection: Connection?
    private var discardsBody = false
    private var isTooFarAhead = false
    /// The parts of a body that were read together. A peer may send a part for each byte.
    private var body: ByteBuffer?

    init(registry: ConnectionRegistry) { self.registry = registry }

    func channelActive(context: ChannelHandlerContext) {
        connection = registry.open(context.channel)
        // Without it, a stream to a peer that is gone stays open for a quarter of an hour.
        _ = context.channel.setOption(Self.acknowledgementTimeout.option, value: Self.acknowledgementTimeout.value)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        passBody(context)
        if let connection { registry.ended(connection) }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            update { $0.receivedHead(at: $1) }
            context.fireChannelRead(wrapInboundOut(.head(head.withSafeTexts())))
        case .body(var part): if body?.writeBuffer(&part) == nil { body = part }
        case .end:
            passBody(context)
            // A body without the part that was left out must not seem complete.
            guard !isTooFarAhead else { return }
            update { $0.receivedEnd(at: $1) }
            context.fireChannelRead(data)
        }
    }

    private func passBody(_ context: ChannelHandlerContext) {
        guard let part = body else { return }
        body = nil
        update { state, _ in state.receivedBody(part.readableBytes) }
        if isTooFarAhead, let connection { return registry.close(connection, for: .memory) }
        if !discardsBody { context.fireChannelRead(wrapInboundOut(.body(part))) }
    }

    private func update(_ body: (inout ConnectionState, Duration) -> Void) {
        guard let connection else { return }
        registry.update(connection) { state, now in
            body(&state, now)
            (discardsBody, isTooFarAhead) = (state.discardsBody, state.isTooFarAhead)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passBody(context)
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
            update { $0.answered(at: $1) }
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
