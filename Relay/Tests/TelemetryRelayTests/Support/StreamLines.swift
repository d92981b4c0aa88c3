import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Reads a stream of server-sent events over a socket.
struct StreamLines {
    struct Event: Equatable {
        var id: String?
        var name: String?
        var data: String?
    }

    private var iterator: AsyncThrowingStream<String, any Error>.Iterator
    let head: String

    /// Sends a request and reads the head of its response.
    static func open<Result: Sendable>(
        port: Int, _ path: String, headers: [(String, String)] = [], _ body: (inout StreamLines) async throws -> Result
    ) async throws -> Result {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel(
                        wrappingChannelSynchronously: channel,
                        configuration: .init(inboundType: ByteBuffer.self, outboundType: ByteBuffer.self))
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            let fields = [("Host", "127.0.0.1:\(port)")] + headers
            let request = "GET \(path) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
            try await outbound.write(ByteBuffer(string: request))
            let (lines, continuation) = AsyncThrowingStream.makeStream(of: String.self, throwing: (any Error).self)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var line: [UInt8] = []
                    do {
                        for try await buffer in inbound {
                            for byte in buffer.readableBytesView where byte != UInt8(ascii: "\r") {
                                if byte != UInt8(ascii: "\n") {
                                    line.append(byte)
                                } else {
                                    continuation.yield(String(decoding: line, as: UTF8.self))
                                    line = []
                                }
                            }
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                defer { group.cancelAll() }
                var iterator = lines.makeAsyncIterator()
                var head = ""
                while let line = try await iterator.next(), !line.isEmpty { head += line + "\n" }
                var events = StreamLines(iterator: iterator, head: head)
                return try await body(&events)
            }
        }
    }

    /// Returns the next event; nil if the stream has ended. Skips comments and chunk lengths.
    mutating func next() async throws -> Event? {
        var event = Event()
        while let line = try await iterator.next() {
            if line == "0" { return nil }
            if line.isEmpty, event.name != nil { return event }
            for (prefix, path) in [("id: ", \Event.id), ("event: ", \Event.name), ("data: ", \Event.data)] {
                if line.hasPrefix(prefix) { event[keyPath: path] = String(line.dropFirst(prefix.count)) }
            }
        }
        return nil
    }
}
