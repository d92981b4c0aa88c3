/// Times as they travel: RFC 3339 in UTC, kept with the digits that they came with.
enum WireTime {
    /// The text in its one spelling, `T` and `Z` in upper case; nil for what is no time in UTC. Lines have only this spelling.
    static func normalized(_ text: String, _ form: EventForm = .json) -> String? {
        if form == .lines { return RelayTime(text) == nil ? nil : text }
        var text = text
        if text.hasSuffix("+00:00") || text.hasSuffix("-00:00") { text = text.dropLast(6) + "Z" }
        if text.utf8.contains(where: { $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: "z") }) { text = text.uppercased() }
        return RelayTime(text) == nil ? nil : text
    }
}
