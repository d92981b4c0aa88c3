public import Foundation
import Synchronization

/// The work's own count of logged events, independent of the logger. The demo compares the two.
///
/// Each event is written after its call returned, with one append, so that the lines of a killed process are kept. A process
/// that is killed between the call and the line leaves one event that was logged but not counted.
public final class Tally: Sendable {
    private struct State {
        var next = 1
        var unflushed = 0
        var perScenario: [String: Int] = [:]
    }

    private let file: FileHandle?
    private let state = Mutex(State())

    /// - Parameter url: The file to append to, created if it is missing; nil keeps the count in memory.
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

    /// The number of the next recorded event; the first is 1.
    public var next: Int { state.withLock { $0.next } }

    /// The number of recorded events, by scenario.
    public var perScenario: [String: Int] { state.withLock { $0.perScenario } }

    /// Records one logged event: session, number, run and scenario.
    public func count(_ number: Int, session: String, pass: Int, scenario: String) {
        state.withLock { state in
            state.next = number + 1
            state.unflushed += 1
            state.perScenario[scenario, default: 0] += 1
        }
        // A failed write shows as a discrepancy at the end; the work continues.
        try? file?.write(contentsOf: Data("\(session) \(number) \(pass) \(scenario)\n".utf8))
    }

    /// Whether this many events were recorded since it last returned true.
    func takeUnflushed(atLeast limit: Int) -> Bool {
        state.withLock { state in
            guard state.unflushed >= limit else { return false }
            state.unflushed = 0
            return true
        }
    }
}
