/// The canonical text of a query.
struct QueryDescription {
    private let comma: String
    private let pipe: String

    /// - Parameter limit: The maximum length in bytes. A longer text has no blanks that can be left out.
    static func text(of filter: QueryFilter, pipes: [QueryPipe], limit: Int) -> String {
        let text = Self(comma: ", ", pipe: " | ").text(of: filter, pipes: pipes)
        return text.utf8.count <= limit ? text : Self(comma: ",", pipe: "|").text(of: filter, pipes: pipes)
    }

    private func text(of filter: QueryFilter, pipes: [QueryPipe]) -> String {
        let text = ([text(of: filter)] + pipes.map(text(of:))).joined(separator: pipe)
        return text.hasPrefix(" ") ? String(text.dropFirst()) : text
    }

    private func text(of filter: QueryFilter) -> String {
        switch filter {
        case .term(let term): text(of: term)
        case .not(let operand): "-" + operandText(of: operand)
        case .and(let operands):
            operands.map { if case .or = $0 { operandText(of: $0) } else { text(of: $0) } }.joined(separator: " ")
        case .or(let operands): operands.map(text(of:)).joined(separator: " or ")
        }
    }

    private func operandText(of filter: QueryFilter) -> String {
        switch filter {
        case .term, .not: text(of: filter)
        case .and, .or: "(\(text(of: filter)))"
        }
    }

    private func text(of term: QueryTerm) -> String {
        switch term {
        case .everything: "*"
        case .has(let field): prefix(field) + "*"
        case .words(let words, let field):
            prefix(field) + (words.continuesBefore ? "*" : "")
                + (field == .time && !words.continuesBefore && !words.continuesAfter
                    ? Self.quoted(words.text) : Self.word(words.text))
                + (words.continuesAfter ? "*" : "")
        case .pattern(let expression, let field): "\(prefix(field))~\(Self.quoted(expression.text))"
        case .equals(let field, let operands):
            operands.count == 1
                ? "\(prefix(field))=\(Self.value(operands[0].text))"
                : "\(prefix(field))in(\(operands.map { Self.value($0.text) }.joined(separator: comma)))"
        case .compares(let field, let comparison, let bound): prefix(field) + comparison.rawValue + Self.value(bound.text)
        case .age(let duration): "time:\(duration.text)"
        }
    }

    private func prefix(_ field: QueryField?) -> String { field.map { Self.word($0.canonicalName) + ":" } ?? "" }

    private func text(of pipe: QueryPipe) -> String {
        switch pipe {
        case .stats(let statistics, let groups):
            "stats " + statistics.map(text(of:)).joined(separator: comma) + (groups.isEmpty ? "" : " by " + text(of: groups))
        case .top(let limit, let groups):
            // Without the number, a name of digits would be it.
            (limit == 10 && !Self.isDigits(groups[0].column) ? "top " : "top \(limit) ") + text(of: groups)
        case .sort(let keys):
            "sort by " + keys.map { Self.name($0.name.text) + ($0.isDescending ? " desc" : "") }.joined(separator: comma)
        case .limit(let limit): "limit \(limit)"
        case .fields(let names): "fields " + names.map { Self.name($0.text) }.joined(separator: comma)
        }
    }

    private func text(of statistic: QueryStatistic) -> String {
        statistic.function.description + (statistic.alias.map { " as \(Self.name($0))" } ?? "")
    }

    private func text(of groups: [QueryGroup]) -> String {
        groups.map {
            switch $0 {
            case .value(let field): Self.name(field.text)
            case .time: $0.column
            }
        }.joined(separator: comma)
    }

    /// A field or a column in a pipe.
    static func name(_ text: String) -> String { isRun(text, .word) ? text : quoted(text) }

    /// A word or a field in a filter, without quotation marks if it means the same without them.
    private static func word(_ text: String) -> String {
        let isPlain =
            isRun(text, .word) && !(text.utf8.first.map("-!=<>~".utf8.contains) ?? true)
            && !["and", "or", "not"].contains(text.lowercased())
        return isPlain ? text : quoted(text)
    }

    private static func value(_ text: String) -> String { isRun(text, .value) ? text : quoted(text) }

    /// Whether the text is a run; a word must not have a star.
    private static func isRun(_ text: String, _ kind: QueryScanner.Run) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: ":"), UInt8(ascii: "*"): kind == .value
                default: !QueryScanner.isBlank($0) && !QueryScanner.isDelimiter($0)
                }
            }
    }

    private static func isDigits(_ text: String) -> Bool { text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }

    private static func quoted(_ text: String) -> String {
        var result = "\"".unicodeScalars
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let isEscaped = scalar == "\"" || scalar == "\\" && rest.first.map { $0 == "\"" || $0 == "\\" } ?? true
            if isEscaped { result.append("\\") }
            result.append(scalar)
        }
        result.append("\"")
        return String(result)
    }
}

extension QueryFunction: CustomStringConvertible {
    /// The canonical text, without blanks, which is the name of the function's column.
    var description: String {
        let name = argument.map { QueryDescription.name($0.text) } ?? ""
        return switch self {
        case .countRows: "count()"
        case .count: "count(\(name))"
        case .countDistinct: "count_distinct(\(name))"
        case .sum: "sum(\(name))"
        case .average: "avg(\(name))"
        case .minimum: "min(\(name))"
        case .maximum: "max(\(name))"
        case .quantile(let share, _): "quantile(\(share.text),\(name))"
        }
    }
}
