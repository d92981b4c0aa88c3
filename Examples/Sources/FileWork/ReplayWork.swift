public import Foundation
import TelemetryModels

/// Replays a log file: every line is an event, whose scenario is one word of the line.
public struct ReplayWork: Work {
    private let lines: [String]
    private let field: LogField?

    /// Reads the file once.
    /// - Parameter position: The number of the word that is a line's scenario, from 1; nil detects a field with few values.
    /// - Throws: ``ReplayError`` if the file has no lines or no line has such a word, or the error of reading the file.
    public init(file: URL, field position: Int? = nil) throws {
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard !lines.isEmpty else { throw ReplayError.noLines(file.path) }
        if let position {
            guard let chosen = LogField(position: position, in: lines) else {
                throw ReplayError.noSuchField(position, file.path)
            }
            field = chosen
        } else {
            field = LogField.best(in: lines)
        }
    }

    /// The field's values, most frequent first. A file without such a field has the single scenario `Line`.
    public var scenarios: [String] { field?.scenarios ?? [LogField.fallback] }

    public func run(_ log: WorkLog) async -> WorkSummary {
        var summary = WorkSummary()
        for line in lines {
            if Task.isCancelled { break }
            summary.items += 1
            summary.bytes += line.utf8.count + 1
            let number = Int64(summary.items)
            let scenario = field?.scenario(of: line) ?? LogField.fallback
            // Lines of the most frequent kind are the least important.
            log.log(
                "line", scenario: scenario, level: scenario == scenarios[0] && scenarios.count > 1 ? .diagnostic : .info,
                subject: line, attributes: ["line": .int(number)])
            await log.keepUp()
        }
        await log.finish()
        return summary
    }
}

/// An error of a file that cannot be replayed.
public enum ReplayError: Error, LocalizedError, Equatable {
    case noLines(String)
    case noSuchField(Int, String)

    public var errorDescription: String? {
        switch self {
        case .noLines(let path): "The file \(path) has no lines to replay."
        case .noSuchField(let position, let path): "No line of \(path) has a word number \(position)."
        }
    }
}
