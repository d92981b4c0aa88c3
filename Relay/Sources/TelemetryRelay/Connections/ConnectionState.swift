/// What a connection holds, and what it waits for.
struct ConnectionState {
    /// What the peer has to do next.
    enum Wait: Equatable {
        case firstHead, nextHead, body
        /// The rest of a body that was answered early (RFC 9112, 9.6).
        case restOfBody
        /// The response is read by the peer.
        case response
    }

    private var openRequests = 0
    private var isBodyOpen = false
    private var hadRequest = false
    /// The bytes of the requests' bodies, until they are answered.
    private var bodyBytes = 0
    /// The bytes of bodies that arrived behind a request that is not answered.
    private var aheadBytes = 0
    /// The bytes of the responses' buffers that the system has not accepted completely.
    private var responseBytes = 0
    /// The bytes of the open body since the wait for it began.
    private var received = 0
    private var isClosed = false
    /// When the wait began, or the peer last read a part of the response.
    private(set) var waitsSince: Duration

    /// The least rate of a body in bytes per second, and the time after which it applies.
    private static let bodyRate = (bytes: 1 << 10, after: Duration.seconds(30))

    /// The largest number of bytes of bodies that may arrive behind a request that is not answered.
    private static let maximumAhead = 16 << 10

    init(now: Duration) { waitsSince = now }

    /// Nil if the relay is working on a request, or the connection is closed.
    var wait: Wait? {
        if isClosed { return nil }
        if responseBytes > 0 { return .response }
        switch (isBodyOpen, openRequests) {
        case (true, 0): return .restOfBody
        case (true, 1): return .body
        case (false, 0): return hadRequest ? .nextHead : .firstHead
        // A request behind another one is not read yet.
        default: return nil
        }
    }

    var heldBytes: Int { isClosed ? 0 : bodyBytes + responseBytes }

    func isOverdue(at now: Duration) -> Bool {
        let elapsed = now - waitsSince
        return switch wait {
        case nil: false
        case .firstHead: elapsed >= .seconds(60)
        case .nextHead: elapsed >= .seconds(75)
        case .body:
            elapsed >= .seconds(300)
                || Double(received) < (elapsed - Self.bodyRate.after) / .seconds(1) * Double(Self.bodyRate.bytes)
        case .restOfBody: elapsed >= .seconds(10)
        case .response: elapsed >= .seconds(30)
        }
    }

    /// Whether the parts of the body that arrive belong to a request that was answered.
    var discardsBody: Bool { isBodyOpen && openRequests == 0 }

    /// Whether the peer has sent more behind a request that is not answered than is kept. Such a connection waits for the relay, so that it
    /// would not be closed for others.
    var isTooFarAhead: Bool { aheadBytes > Self.maximumAhead }

    mutating func receivedHead(at now: Duration) {
        change(at: now) { state in
            state.openRequests += 1
            (state.isBodyOpen, state.hadRequest) = (true, true)
        }
    }

    mutating func receivedBody(_ bytes: Int) {
        received += bytes
        // The rest of an answered body is discarded.
        if openRequests > 0 { bodyBytes += bytes }
        if openRequests > 1 { aheadBytes += bytes }
    }

    mutating func receivedEnd(at now: Duration) { change(at: now) { $0.isBodyOpen = false } }

    mutating func wrote(_ bytes: Int, at now: Duration) { change(at: now) { $0.responseBytes += bytes } }

    /// The system has accepted a part of a response, with which a buffer of this size is free, or the connection has ended.
    mutating func sent(freeing bytes: Int, at now: Duration) {
        change(at: now) { $0.responseBytes -= bytes }
        waitsSince = now
    }

    mutating func answered(at now: Duration) {
        change(at: now) { state in
            // What cannot be parsed is answered without a head.
            state.openRequests = max(0, state.openRequests - 1)
            if state.openRequests == 0 { state.bodyBytes = 0 }
            if state.openRequests < 2 { state.aheadBytes = 0 }
        }
    }

    mutating func close() { isClosed = true }

    private mutating func change(at now: Duration, _ body: (inout Self) -> Void) {
        let before = wait
        body(&self)
        guard wait != before else { return }
        (waitsSince, received) = (now, 0)
    }
}
