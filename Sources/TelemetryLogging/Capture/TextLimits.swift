import TelemetryModels

/// Truncates strings to the configured lengths.
struct TextLimits: Sendable {
    let nameBytes: Int
    let propertyBytes: Int

    /// Whether no text within `ordinaryBytes` bytes can be too long.
    @inline(__always)
    func allow(ordinaryBytes: Int) -> Bool { ordinaryBytes <= nameBytes && ordinaryBytes <= propertyBytes }

    func apply(to draft: inout CapturedEvent) {
        if draft.name.utf8.count > nameBytes { draft.name = Self.cut(draft.name, to: nameBytes) }
        if let scenario = draft.scenario, scenario.utf8.count > nameBytes {
            draft.scenario = Self.cut(scenario, to: nameBytes)
        }
        if let property = draft.property1, property.utf8.count > propertyBytes {
            draft.property1 = Self.cut(property, to: propertyBytes)
        }
        if !draft.attributes.isEmpty { apply(to: &draft.attributes) }
    }

    private func apply(to attributes: inout [String: TelemetryValue]) {
        for (key, value) in attributes {
            if case .string(let text) = value, text.utf8.count > propertyBytes {
                attributes[key] = .string(Self.cut(text, to: propertyBytes))
            }
        }
        for key in attributes.keys.filter({ $0.utf8.count > nameBytes }).sorted() {
            let value = attributes.removeValue(forKey: key)
            attributes[Self.cut(key, to: nameBytes)] = value
        }
    }

    /// Returns the text, or its longest prefix of whole characters that with a trailing "…" has at most `limit` bytes.
    static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        let mark = "…"
        var bytes = 0
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            bytes += text.utf8.distance(from: end, to: next)
            if bytes > limit - mark.utf8.count { break }
            end = next
        }
        return String(text[..<end]) + mark
    }
}
