public import Foundation
import Synchronization

/// What the work itself says it logged, apart from the logger: the demo holds the two against each other.
///
/// Each event is written down after its call returned, with one append, so that the lines of a killed process count. A process
/// that dies between the call and the line leaves one event that was logged and not counted.
public final class Tally: Sendable {
    private struct State {
        var next = 1
        var unflushed = 0
        var perScenario: [String: Int] = [:]
    }

    private let file: FileHandle?
    private let state = Mutex(State())

    /// - Parameter url: The file to append to, made where it is missing; nil keeps the count in memory.
    public init(appendingTo url: URL? = nil) throws {
        guard let url else {
            file = nil
            return
        }
        if !FileManager.default.fileExists(atPath: url.path) {
            try Data().write(to: url, options: .withoutOverwriting)
        }
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        file = handle
    }

    /// The number that the next recorded event gets; the first is 1.
    public var next: Int { state.withLock { $0.next } }

    /// How many events were recorded, by scenario.
    public var perScenario: [String: Int] { state.withLock { $0.perScenario } }

    /// Writes down one recorded event: session, number, run and scenario.
    public func count(_ number: Int, session: String, pass: Int, scenario: String) {
        state.withLock { state in
            state.next = number + 1
            state.unflushed += 1
            state.perScenario[scenario, default: 0] += 1
        }
        // A tally that cannot be written shows as a difference at the end; the work goes on.
        try? file?.write(contentsOf: Data("\(session) \(number) \(pass) \(scenario)\n".utf8))
    }

    /// Whether this many were recorded since the last time that it said so.
    func takeUnflushed(atLeast limit: Int) -> Bool {
        state.withLock { state in
            guard state.unflushed >= limit else { return false }
            state.unflushed = 0
            return true
        }
    }
}
