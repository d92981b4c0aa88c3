public import Foundation
import TelemetryModels

/// Replays a log file: every line is an event, its scenario the word in one field of the line.
public struct ReplayWork: Work {
    private let lines: [String]
    private let field: LogField?

    /// Reads the file once.
    /// - Parameter position: Which word of a line names its scenario, the first being 1; nil finds one with few values.
    /// - Throws: where the file cannot be read, ``ReplayError`` where it has no lines or no line has such a word.
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

    /// The field's values, the commonest first; a file without such a field has the one scenario `Line`.
    public var scenarios: [String] { field?.scenarios ?? [LogField.fallback] }

    public func run(_ log: WorkLog) async -> WorkSummary {
        var summary = WorkSummary()
        for line in lines {
            if Task.isCancelled { break }
            summary.items += 1
            summary.bytes += line.utf8.count + 1
            let number = Int64(summary.items)
            let scenario = field?.scenario(of: line) ?? LogField.fallback
            // The commonest kind of line is chatter.
            log.log(
                "line", scenario: scenario, level: scenario == scenarios[0] && scenarios.count > 1 ? .diagnostic : .info,
                subject: line, attributes: ["line": .int(number)])
            await log.keepUp()
        }
        await log.finish()
        return summary
    }
}

/// Why a file cannot be replayed.
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
