import Foundation

/// Indents JSON texts. Numbers, strings and the order of keys stay unchanged.
enum JSONIndenter {
    /// The maximum number of bytes of a text that is indented.
    static let maximumBytes = 262_144
    private static let maximumIndentation = 32

    /// The lines of a text that is a JSON object or array; nil for other texts.
    static func lines(_ text: String) -> [String]? {
        guard let first = text.unicodeScalars.first(where: { !isSpace($0) }), first == "{" || first == "[",
            text.utf8.count <= maximumBytes, (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
        else { return nil }
        var lines: [String] = []
        var line = String.UnicodeScalarView()
        var depth = 0
        var isInString = false
        var isEscaped = false
        func endLine() {
            lines.append(String(line))
            line = String.UnicodeScalarView(repeatElement(" ", count: min(depth * 2, maximumIndentation)))
        }
        var previous: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            if isInString {
                line.append(scalar)
                if isEscaped {
                    isEscaped = false
                } else if scalar == "\\" {
                    isEscaped = true
                } else {
                    isInString = scalar != "\""
                }
                previous = scalar
                continue
            }
            if isSpace(scalar) { continue }
            switch scalar {
            case "}", "]":
                depth -= 1
                if previous != "{", previous != "[" { endLine() }
                line.append(scalar)
            case ",":
                line.append(scalar)
                endLine()
            case ":": line.append(contentsOf: ": ".unicodeScalars)
            default:
                if previous == "{" || previous == "[" { endLine() }
                line.append(scalar)
                if scalar == "{" || scalar == "[" { depth += 1 }
                isInString = scalar == "\""
            }
            previous = scalar
        }
        return lines + [String(line)]
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { [" ", "\n", "\r", "\t"].contains(scalar) }
}
