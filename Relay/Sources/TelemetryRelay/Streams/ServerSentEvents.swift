import HTTPTypes
import Hummingbird
import NIOCore

/// Writes server-sent events in chunks, each after the reader has received the one before.
struct ServerSentEvents {
    private var writer: any ResponseBodyWriter
    private let session: StreamSession
    private var pending = ByteBuffer()
    private static let chunk = 64 << 10

    init(_ writer: any ResponseBodyWriter, session: StreamSession) {
        self.writer = writer
        self.session = session
    }

    /// Adds an event. The data must not contain line breaks.
    mutating func event(_ name: String, id: String?, data: String) async throws {
        if let id { pending.writeString("id: \(id)\n") }
        pending.writeString("event: \(name)\ndata: ")
        pending.writeString(data)
        pending.writeString("\n\n")
        if pending.readableBytes >= Self.chunk { try await flush() }
    }

    /// Adds a comment, which readers ignore and which keeps the connection open.
    mutating func comment(_ text: String) { pending.writeString(": \(text)\n\n") }

    /// Writes the pending output in chunks.
    mutating func flush() async throws {
        while let part = pending.readSlice(length: min(Self.chunk, pending.readableBytes)), part.readableBytes > 0 {
            try await writer.write(part)
            session.noteWrite()
        }
        pending.clear(minimumCapacity: 0)
    }

    mutating func finish() async throws {
        try await flush()
        try await writer.finish(nil)
    }
}

extension Response {
    /// A response that streams until its session ends.
    /// - Parameters:
    ///   - hints: the stream of hints that wakes the session; subscribed to before anything is read.
    /// - Throws: a 429 if the caller has too many open streams.
    static func events(
        _ streams: StreamRegistry, _ caller: RelayCaller,
        hints: @escaping @Sendable () -> AsyncStream<Void>,
        _ body: @escaping @Sendable (StreamSession, inout ServerSentEvents) async throws -> Void
    ) throws -> Response {
        // Before the status is sent.
        try streams.checkRoom(for: caller)
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: .init { writer in
                let root = writer
                // The server runs this outside of the request's handler.
                try await RequestOwners.$current.withValue(caller.owners) {
                    try await streams.withSession(caller) { session in
                        var events = ServerSentEvents(root, session: session)
                        let arrivals = hints()
                        try await withThrowingDiscardingTaskGroup { group in
                            group.addTask { await session.follow(arrivals) }
                            defer { group.cancelAll() }
                            events.comment("telemetry-relay")
                            try await body(session, &events)
                        }
                        try await events.finish()
                    }
                }
            })
    }
}
