import Foundation
@_spi(Tooling) public import TelemetryModels

/// Parses the lines of a program as events.
public struct LineParser {
    /// The event that a line describes.
    public struct Line: Equatable, Sendable {
        public var name: String
        public var level: TelemetryLogLevel
        public var text: String?
        public var attributes: [String: TelemetryValue]

        public init(
            name: String = "line", level: TelemetryLogLevel, text: String?, attributes: [String: TelemetryValue] = [:]
        ) {
            self.name = name
            self.level = level
            self.text = text
            self.attributes = attributes
        }
    }

    /// Words for levels that correspond to `diagnostic`.
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

    private func object(_ line: String) -> Line? {
        guard let fields = try? JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8)) else { return nil }
        var line = Line(level: level(of: line), text: nil)
        for (name, value) in fields {
            switch (name, value) {
            case ("event", .string(let text)), ("name", .string(let text)): line.name = text
            case ("message", .string(let text)), ("msg", .string(let text)): line.text = text
            case ("level", .string(let text)) where pattern == nil: line.level = Self.level(word: text)
            default: line.attributes[name] = value.attribute
            }
        }
        return line
    }

    private static func level(word: String) -> TelemetryLogLevel {
        let word = word.lowercased()
        return diagnosticWords.contains(where: word.hasPrefix) ? .diagnostic : .info
    }
}
