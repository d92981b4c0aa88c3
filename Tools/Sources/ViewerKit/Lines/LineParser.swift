public import Foundation
@_spi(Tooling) public import TelemetryModels

/// Parses the lines of a program as events.
public struct LineParser {
    /// The event that a line describes.
    public struct Line: Equatable, Sendable {
        public var name: String
        public var level: TelemetryLogLevel
        public var text: String?
        public var attributes: [String: TelemetryValue]
        /// The date that the line states; nil if it states none.
        public var date: Date?

        public init(
            name: String = "line", level: TelemetryLogLevel, text: String?, attributes: [String: TelemetryValue] = [:],
            date: Date? = nil
        ) {
            self.name = name
            self.level = level
            self.text = text
            self.attributes = attributes
            self.date = date
        }
    }

    /// The beginnings of words for levels that correspond to `diagnostic`.
    private static let diagnosticWords = ["debug", "trace", "verbose", "diag", "fine", "silly"]

    private let level: TelemetryLogLevel
    private let pattern: Regex<AnyRegexOutput>?
    private let isJSON: Bool

    /// - Parameters:
    ///   - level: The level of lines without one.
    ///   - pattern: Matches the word with a line's level: its first group or, without groups, the whole match.
    ///   - isJSON: Whether lines are objects whose fields become attributes.
    /// - Throws: ``ToolFailure`` if the pattern is invalid.
    public init(level: TelemetryLogLevel, levelPattern pattern: String? = nil, isJSON: Bool = false) throws {
        self.level = level
        self.isJSON = isJSON
        do { self.pattern = try pattern.map { try Regex($0) } } catch {
            throw ToolFailure(.data, "\"\(pattern ?? "")\" is not a valid regular expression.")
        }
    }

    public func parse(_ line: String) -> Line {
        if isJSON, let object = object(line) { return object }
        return Line(level: level(of: line), text: line)
    }

    private func level(of line: String) -> TelemetryLogLevel {
        guard let pattern, let match = try? pattern.firstMatch(in: line) else { return level }
        let group = match.output.count > 1 ? match.output[1].substring : nil
        return Self.level(word: String(group ?? line[match.range]))
    }

    private func object(_ text: String) -> Line? {
        guard var fields = LineFields(text) else { return nil }
        var line = Line(level: level(of: text), text: nil)
        line.name = fields.takeName() ?? line.name
        line.text = fields.takeText()
        line.date = fields.takeDate()
        // With a pattern the level is not in a field.
        let found = pattern == nil ? fields.takeSeverity() : nil
        line.attributes = fields.attributes
        guard let found else { return line }
        line.level = found.severity < .info ? .diagnostic : .info
        // A field `severity` that is not understood stays; then the level is kept under its own name.
        if let kept = found.kept {
            let isTaken = line.attributes[TelemetryEvent.severityAttribute] != nil
            line.attributes[isTaken ? found.field : TelemetryEvent.severityAttribute] = kept
        }
        return line
    }

    private static func level(word: String) -> TelemetryLogLevel {
        if let severity = QuerySeverity(word: word) { return severity < .info ? .diagnostic : .info }
        let word = word.lowercased()
        return diagnosticWords.contains(where: word.hasPrefix) ? .diagnostic : .info
    }
}
