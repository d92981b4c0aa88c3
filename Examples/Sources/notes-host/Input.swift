@preconcurrency import Dispatch
import Foundation

/// A request of the user, one per line.
enum Input: Sendable {
    case agree, withdraw, pause, resume, overview, sync
    /// Ends the session and the program: this client's scenarios and events are deleted from the store.
    case end
    /// Ends the program; everything stays in the store.
    case quit
    case override(scenario: String, isOn: Bool)
    /// Forbids a scenario, whoever enables it, or allows it again.
    case permission(scenario: String, isAllowed: Bool)
    case note(String)
    case fetch(URL)
    case unknown(String)

    static let help = """
        note TEXT, sync, fetch URL; for telemetry: agree, withdraw, overview (or status), pause, resume, on SCENARIO, \
        off SCENARIO, forbid SCENARIO, allow SCENARIO; end, quit. 'forbid' keeps a scenario off, whoever enables it; \
        'end' deletes this session's scenarios and events from the store, 'quit' keeps them.
        """

    init(line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.dropFirst().first) {
        case ("agree", nil): self = .agree
        case ("withdraw", nil): self = .withdraw
        case ("pause", nil): self = .pause
        case ("resume", nil): self = .resume
        case ("overview", nil), ("status", nil): self = .overview
        case ("sync", nil): self = .sync
        case ("end", nil): self = .end
        case ("quit", nil): self = .quit
        case ("on", let name?): self = .override(scenario: name, isOn: true)
        case ("off", let name?): self = .override(scenario: name, isOn: false)
        case ("forbid", let name?): self = .permission(scenario: name, isAllowed: false)
        case ("allow", let name?): self = .permission(scenario: name, isAllowed: true)
        case ("note", let text?): self = .note(text)
        case ("fetch", let text?): self = URL(string: text).map(Input.fetch) ?? .unknown(line)
        default: self = .unknown(line)
        }
    }

    /// The lines of standard input. SIGINT, SIGTERM and the end of input mean `quit`.
    static func stream() -> AsyncStream<Input> {
        let (stream, continuation) = AsyncStream.makeStream(of: Input.self)
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { @Sendable in continuation.yield(.quit) }
            source.resume()
            return source
        }
        continuation.onTermination = { _ in signals.forEach { $0.cancel() } }
        // Reading blocks, so it runs on a separate thread.
        Thread {
            while let line = readLine() {
                if !line.isEmpty { continuation.yield(Input(line: line)) }
            }
            continuation.yield(.quit)
        }.start()
        return stream
    }
}
