public import TelemetryModels

/// Parses and formats the conditions of rules as a user types them: `appVersion>=2.1`, `deviceModel in A,B`.
public enum RuleConditionText {
    /// The forms that ``condition(_:)`` parses, for messages.
    public static let forms = "NAME=VALUE, NAME!=VALUE, NAME>=VERSION, NAME<VERSION, NAME^=PREFIX, NAME in A,B, NAME not in A,B"

    /// If one symbol is a prefix of another, the longer one comes first.
    private static let symbols: [(text: String, comparison: TelemetryRuleCondition.Comparison)] = [
        (">=", .atLeast), ("!=", .notOneOf), ("^=", .hasPrefix), ("==", .equals), ("<", .below), ("=", .equals),
    ]
    private static let words: [(text: String, comparison: TelemetryRuleCondition.Comparison)] = [
        ("not in ", .notOneOf), ("in ", .oneOf),
    ]

    /// Returns the condition, or nil if the text has none of the ``forms``.
    public static func condition(_ text: String) -> TelemetryRuleCondition? {
        let text = trimmed(text[...])
        let attribute = text.prefix { !$0.isWhitespace && !"<>=!^".contains($0) }
        let rest = trimmed(text[attribute.endIndex...])
        guard !attribute.isEmpty else { return nil }
        if let word = words.first(where: { rest.hasPrefix($0.text) }) {
            let values = rest.dropFirst(word.text.count).split(separator: ",", omittingEmptySubsequences: false)
                .map { String(trimmed($0)) }
            return values.contains("") ? nil : TelemetryRuleCondition(String(attribute), word.comparison, values)
        }
        guard let symbol = symbols.first(where: { rest.hasPrefix($0.text) }) else { return nil }
        let value = trimmed(rest.dropFirst(symbol.text.count))
        // "<=" and "=>" are not supported.
        guard let first = value.first, !"<>=".contains(first) else { return nil }
        return TelemetryRuleCondition(String(attribute), symbol.comparison, [String(value)])
    }

    /// Returns a condition on the context, or nil if the text has none of the ``forms``, or looks like several conditions: one of those
    /// could hold for everybody.
    public static func contextCondition(_ text: String) -> TelemetryRuleCondition? {
        guard let condition = condition(text) else { return nil }
        let isList = condition.comparison == .oneOf || text.contains("not in ")
        let isSingle = condition.values.allSatisfy { value in
            !value.contains("&&") && !value.contains { "<>=!^".contains($0) } && (isList || !value.contains(","))
                && !value.split(whereSeparator: \.isWhitespace).contains { $0.lowercased() == "and" }
        }
        return isSingle ? condition : nil
    }

    /// Formats the condition, if possible in a form that ``condition(_:)`` parses.
    public static func string(_ condition: TelemetryRuleCondition) -> String {
        let (name, values) = (condition.attribute, condition.values.joined(separator: ","))
        // In place of conditions that could not be read.
        if name.isEmpty { return "nobody, because its conditions cannot be read" }
        return switch condition.comparison {
        case .equals: "\(name)=\(values)"
        case .oneOf: "\(name) in \(values)"
        case .notOneOf: condition.values.count == 1 ? "\(name)!=\(values)" : "\(name) not in \(values)"
        case .hasPrefix: "\(name)^=\(values)"
        case .atLeast: "\(name)>=\(values)"
        case .below: "\(name)<\(values)"
        }
    }

    /// All conditions, joined.
    public static func string(_ conditions: [TelemetryRuleCondition]) -> String {
        conditions.map(string).joined(separator: " and ")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}

extension [TelemetryRuleCondition] {
    /// The end of a sentence on a scenario that is on in these contexts: " for user=4711"; empty without conditions.
    public var phrase: String { isEmpty ? "" : " for \(RuleConditionText.string(self).visible)" }
}
