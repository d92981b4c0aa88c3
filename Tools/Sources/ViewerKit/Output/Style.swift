/// ANSI colours and weights, or none.
public struct Style: Sendable {
    let isOn: Bool

    public init(isOn: Bool) { self.isOn = isOn }

    public func bold(_ text: String) -> String { wrapped(text, "1") }
    public func dim(_ text: String) -> String { wrapped(text, "2") }
    public func inverse(_ text: String) -> String { wrapped(text, "7") }
    public func red(_ text: String) -> String { wrapped(text, "31") }
    public func green(_ text: String) -> String { wrapped(text, "32") }
    public func yellow(_ text: String) -> String { wrapped(text, "33") }
    /// For strings that a search found: black on yellow.
    public func match(_ text: String) -> String { wrapped(text, "30;43") }
    public func cyan(_ text: String) -> String { wrapped(text, "36") }

    /// One of six colours, always the same for the same text.
    public func tinted(_ text: String) -> String { tinted(text, by: text) }

    /// The text in the colour of another one, of which it is a part.
    public func tinted(_ text: String, by whole: String) -> String {
        let sum = whole.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return wrapped(text, ["32", "33", "34", "35", "36", "94"][Int(sum % 6)])
    }

    private func wrapped(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
