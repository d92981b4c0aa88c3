/// One line of a screen: styled pieces of text.
public struct ScreenLine: Sendable, Equatable {
    public enum Look: Sendable, Equatable {
        case plain, dim, bold, inverse, green, yellow, red, cyan
        /// A colour derived from the text.
        case tinted
        /// The colour of another text, of which the text is a part.
        case tintedBy(String)
        /// Found by a search.
        case match
    }

    private var pieces: [(text: String, look: Look)] = []
    private(set) var width = 0
    private var filling: Character = " "

    public init() {}

    public init(_ text: String, _ look: Look = .plain) { add(text, look) }

    /// Appends a text with its control characters escaped.
    public mutating func add(_ text: String, _ look: Look = .plain) {
        guard !text.isEmpty else { return }
        let shown = text.shortened.visible
        pieces.append((shown, look))
        width += shown.displayWidth
    }

    /// Appends a text in a column of this width.
    public mutating func add(_ text: String, _ look: Look = .plain, column: Int) {
        let fitted = text.shortened.visible.fitted(to: column)
        add(fitted, look)
        add(String(repeating: " ", count: max(0, column - fitted.displayWidth)))
    }

    /// Appends another line's pieces.
    mutating func append(_ other: ScreenLine) {
        pieces += other.pieces
        width += other.width
    }

    /// The line without its first columns. A wide character that is cut becomes a space.
    func dropping(columns: Int) -> ScreenLine {
        var result = ScreenLine()
        var rest = columns
        for piece in pieces {
            let (text, missing) = piece.text.dropping(columns: rest)
            rest = missing
            if !text.isEmpty { result.add(text, piece.look) }
        }
        return result
    }

    /// The line with the strings found by a search marked.
    func marking(_ find: (String) -> [Range<String.Index>]) -> ScreenLine {
        var result = ScreenLine()
        for piece in pieces {
            var start = piece.text.startIndex
            for range in find(piece.text) where range.lowerBound >= start {
                result.add(String(piece.text[start..<range.lowerBound]), piece.look)
                result.add(String(piece.text[range]), .match)
                start = range.upperBound
            }
            result.add(String(piece.text[start...]), piece.look)
        }
        return result
    }

    /// Fills the rest of the line with this character instead of spaces.
    public mutating func fill(with character: Character) { filling = character }

    /// The line in reverse video if it is selected; a blank if it is empty.
    public func selected(_ isSelected: Bool) -> ScreenLine {
        guard isSelected else { return self }
        return ScreenLine(pieces.isEmpty ? " " : text, .inverse)
    }

    public var text: String { pieces.map(\.text).joined() }

    /// The line, cut or padded to exactly this width.
    public func rendered(width limit: Int, style: Style) -> String {
        var result = ""
        var used = 0
        for piece in pieces {
            let text = piece.text.fitted(to: limit - used)
            used += text.displayWidth
            result += look(text, piece.look, style)
            if used >= limit { break }
        }
        let rest = String(repeating: filling, count: max(0, limit - used))
        return result + (filling == " " ? rest : style.dim(rest))
    }

    private func look(_ text: String, _ look: Look, _ style: Style) -> String {
        switch look {
        case .plain: text
        case .dim: style.dim(text)
        case .bold: style.bold(text)
        case .inverse: style.inverse(text)
        case .green: style.green(text)
        case .yellow: style.yellow(text)
        case .red: style.red(text)
        case .cyan: style.cyan(text)
        case .tinted: style.tinted(text)
        case .tintedBy(let whole): style.tinted(text, by: whole)
        case .match: style.match(text)
        }
    }

    public static func == (lhs: ScreenLine, rhs: ScreenLine) -> Bool {
        lhs.pieces.count == rhs.pieces.count
            && zip(lhs.pieces, rhs.pieces).allSatisfy { $0.text == $1.text && $0.look == $1.look }
    }
}
