/// Reads the parts of a query's text.
struct QueryScanner {
    /// Where a part without quotation marks ends.
    enum Run {
        /// A word or a name: at a blank, a quotation mark, a parenthesis, `|`, `,` or `:`.
        case word
        /// A value after an operator: the same without `:`.
        case value
    }

    private let bytes: [UInt8]
    private(set) var position = 0
    /// The positions of the parentheses that are not closed yet.
    private var openings: [Int] = []

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The next byte, which may be a blank; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// How many parentheses are open.
    var depth: Int { openings.count }

    /// The next byte after blanks.
    mutating func nextPart() -> UInt8? {
        while let byte = next, Self.isBlank(byte) { position += 1 }
        return next
    }

    /// Consumes the byte if it is next, without skipping blanks.
    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Consumes blanks and the byte if it is next after them; otherwise nothing.
    mutating func consumePart(_ character: Unicode.Scalar) -> Bool {
        let start = position
        if nextPart() == UInt8(ascii: character) {
            position += 1
            return true
        }
        position = start
        return false
    }

    /// Consumes blanks and the word if it is next after them as a whole; otherwise nothing.
    mutating func consumeWord(_ word: String, ignoresCase: Bool = false) -> Bool {
        let start = position
        _ = nextPart()
        let found = run(.word)
        if found == word || ignoresCase && found.lowercased() == word { return true }
        position = start
        return false
    }

    /// The characters up to the next one that ends the run; empty if there are none.
    mutating func run(_ kind: Run) -> String {
        let start = position
        while let byte = next, !Self.isBlank(byte), !Self.isDelimiter(byte) || byte == UInt8(ascii: ":") && kind == .value {
            position += 1
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// The string between the quotation marks that begin here; nil if there is no quotation mark.
    mutating func quoted() throws(TelemetryQueryError) -> String? {
        let start = position
        guard consume("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\"):
                text.append(bytes[position])
                position += 1
            default: text.append(byte)
            }
        }
        throw TelemetryQueryError(message: "The quotation is not closed.", offset: start)
    }

    /// Consumes an opening parenthesis, which ``close(expecting:)`` closes.
    mutating func open() -> Bool {
        guard consumePart("(") else { return false }
        openings.append(position - 1)
        return true
    }

    mutating func close(expecting expectation: String) throws(TelemetryQueryError) {
        guard consumePart(")") else { throw unexpected(expectation) }
        openings.removeLast()
    }

    /// The error for the next part, or for the end of the text.
    mutating func unexpected(_ expectation: String) -> TelemetryQueryError {
        if nextPart() == nil, let opening = openings.last {
            return TelemetryQueryError(message: "The parenthesis is not closed.", offset: opening)
        }
        return TelemetryQueryError(message: "Expected \(expectation).", offset: position)
    }

    /// Throws if a word or quotation is followed by another one without a blank.
    func expectSeparation() throws(TelemetryQueryError) {
        guard let next, !Self.isBlank(next), next == UInt8(ascii: "\"") || !Self.isDelimiter(next) else { return }
        throw TelemetryQueryError(message: "Expected a blank before this.", offset: position)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    static func isDelimiter(_ byte: UInt8) -> Bool { "\"()|,:".utf8.contains(byte) }
}
