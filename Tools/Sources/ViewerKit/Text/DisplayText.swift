extension String {
    /// The text with control characters escaped, because strings of clients are untrusted.
    public var visible: String {
        guard unicodeScalars.contains(where: \.isTerminalControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case _ where scalar.isTerminalControl:
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The number of terminal columns that the text occupies.
    public var displayWidth: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, truncated to this many columns with an ellipsis.
    public func fitted(to width: Int) -> String {
        // No character has more columns than bytes.
        guard utf8.count > width else { return self }
        var used = 0
        var end = startIndex
        for index in indices {
            used += self[index].displayWidth
            if used > width { return width > 0 ? String(self[..<end]) + "…" : "" }
            if used < width { end = self.index(after: index) }
        }
        return self
    }

    /// A prefix of the text, longer than any screen is wide, so that drawing does not process a very long text.
    var shortened: String {
        let most = 2_048
        return utf8.count > most ? String(unicodeScalars.prefix(most)) : self
    }

    /// The text, truncated at the start if it is a path.
    public func fittedPath(to width: Int) -> String {
        guard displayWidth > width, hasPrefix("/"), !contains(" ") else { return fitted(to: width) }
        var result = ""
        var used = 1
        for character in reversed() {
            guard used + character.displayWidth <= width else { break }
            used += character.displayWidth
            result.append(character)
        }
        return width > 0 ? "…" + String(result.reversed()) : ""
    }

    /// The text, padded with spaces to at least this many columns.
    public func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - displayWidth))
    }
}

extension Unicode.Scalar {
    /// Control characters, and characters that change the direction of the surrounding text.
    var isTerminalControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: value != 0x200D
        default: false
        }
    }
}

extension Character {
    /// 2 for East Asian wide characters and emoji, 0 for combining characters, otherwise 1.
    var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.generalCategory == .nonspacingMark { return 0 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
