extension String {
    /// The text in lines of at most this many columns. A character that is wider than the width has a line of its own.
    func wrapped(to width: Int) -> [String] {
        guard displayWidth > width else { return [self] }
        var lines: [String] = []
        var line = ""
        var used = 0
        for character in self {
            let columns = character.displayWidth
            if used + columns > width, !line.isEmpty {
                lines.append(line)
                line = ""
                used = 0
            }
            line.append(character)
            used += columns
        }
        return lines + [line]
    }

    /// The text in lines of at most this many columns, broken at spaces where possible.
    func wrappedAtWords(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if !line.isEmpty, line.displayWidth + 1 + String(word).displayWidth <= width {
                line += " \(word)"
            } else {
                if !line.isEmpty { lines.append(line) }
                let pieces = String(word).wrapped(to: width)
                lines += pieces.dropLast()
                line = pieces.last ?? ""
            }
        }
        return lines + [line]
    }

    /// The text without its first columns, and the number of columns that are still to be removed after it. A wide character
    /// that is cut becomes a space.
    func dropping(columns: Int) -> (text: String, missing: Int) {
        var rest = columns
        var index = startIndex
        while index < endIndex, rest > 0 {
            rest -= self[index].displayWidth
            index = self.index(after: index)
        }
        return (String(repeating: " ", count: max(0, -rest)) + self[index...], max(0, rest))
    }
}
