@preconcurrency import Dispatch
import Foundation

/// A request of the user.
enum Request: Equatable {
    /// The user opts in, and the client requests approval.
    case ask
    /// The user opts out: all data of this client is deleted.
    case leave
    case work
    /// Work repeatedly.
    case keepWorking
    case rest
    /// Enables or disables a scenario locally, overriding the viewers.
    case override(scenario: String, enabled: Bool)
    case status
    /// Fetch a page from a server.
    case fetch(URL)
    /// Log an error, and crash a second later.
    case crash
    /// Ends the session and the program: this client's scenarios and events are deleted from the store.
    case end
    /// Ends the program; everything stays in the store.
    case quit
    case unknown(String)

    static let help = """
        ask, leave, work, loop, rest, on SCENARIO, off SCENARIO, status, fetch URL, crash, end, quit. \
        'end' deletes the client's scenarios and events from the store, 'quit' keeps them; \
        SIGINT, SIGTERM and the end of input mean quit.
        """

    init(line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.dropFirst().first) {
        case ("ask", nil): self = .ask
        case ("leave", nil): self = .leave
        case ("work", nil): self = .work
        case ("loop", nil): self = .keepWorking
        case ("rest", nil): self = .rest
        case ("on", let name?): self = .override(scenario: name, enabled: true)
        case ("off", let name?): self = .override(scenario: name, enabled: false)
        case ("status", nil): self = .status
        case ("fetch", let address?): self = URL(string: address).map(Request.fetch) ?? .unknown(line)
        case ("crash", nil): self = .crash
        case ("end", nil): self = .end
        case ("quit", nil): self = .quit
        default: self = .unknown(line)
        }
    }

    /// The lines of standard input. SIGINT, SIGTERM and the end of input mean `quit`.
    static func stream() -> AsyncStream<Request> {
        let (stream, continuation) = AsyncStream.makeStream(of: Request.self)
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in continuation.yield(.quit) }
            source.resume()
            return source
        }
        // `readLine` blocks, so it runs on a separate thread.
        let reader = Thread {
            while let line = readLine() {
                if !line.isEmpty { continuation.yield(Request(line: line)) }
            }
            continuation.yield(.quit)
        }
        reader.start()
        continuation.onTermination = { _ in signals.forEach { $0.cancel() } }
        return stream
    }
}
