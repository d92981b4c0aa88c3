import ArgumentParser

/// A share of clients, as text.
enum SampleText {
    /// The percentage, above 0 and at most 100.
    static func percentage(_ text: String) throws -> Double {
        let number = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let value = Double(number), value > 0, value <= 100 else {
            throw ValidationError("--sample \"\(text)\" is not a valid share. Examples: 10%, 0.5%.")
        }
        return value
    }
}
