import Logging
import Synchronization

/// Keeps all lines of all levels.
struct KeepingLogHandler: LogHandler {
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock(\.self) }
        var text: String { all.joined(separator: "\n") }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    let lines: Lines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.message) \(metadata.merging(event.metadata ?? [:]) { $1 })") }
}
