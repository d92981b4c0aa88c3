/// A text that is typed in order to filter or find events.
struct WatchPrompt: Sendable {
    enum Purpose: Sendable { case filter, find }

    let purpose: Purpose
    var text = ""
    var isExpression = false
    /// Whether the text is not a valid regular expression.
    private(set) var isInvalid = false

    init(_ purpose: Purpose, _ pattern: EventPattern?) {
        self.purpose = purpose
        text = pattern?.text ?? ""
        isExpression = pattern?.isExpression ?? false
    }

    /// The pattern for the text; nil for no text, and for an invalid regular expression.
    mutating func pattern() -> EventPattern? {
        isInvalid = false
        guard !text.isEmpty else { return nil }
        do { return try EventPattern(text, isExpression: isExpression, limits: .view) } catch {
            isInvalid = true
            return nil
        }
    }
}
