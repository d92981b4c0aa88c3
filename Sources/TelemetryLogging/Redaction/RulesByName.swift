/// Rules for names and the names nested in them, whatever the case of their letters.
struct RulesByName<Rule: Sendable>: Sendable {
    /// The folded names in UTF-8, the longest ones first.
    private let rules: [(name: [UInt8], rule: Rule)]

    var isEmpty: Bool { rules.isEmpty }

    /// - Parameter merge: Returns the rule of two names that differ only in the case of their letters.
    init(_ rules: [(String, Rule)], merge: (Rule, Rule) -> Rule) {
        let folded = Dictionary(rules.map { (Self.fold($0.0), $0.1) }, uniquingKeysWith: merge)
        self.rules = folded.map { (Array($0.key.utf8), $0.value) }.sorted { $0.name.count > $1.name.count }
    }

    /// The rule of a name, or else of the longest name that it is nested in, as `user.name` is in `user`.
    @inline(__always)
    func rule(for name: String) -> Rule? {
        if rules.isEmpty { return nil }
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return Array(Self.fold(name).utf8).withByteView(rule(forLowercased:)) }
        var name = name
        return name.withUTF8 { bytes in
            // The string keeps its bytes during the call.
            rule(forLowercased: unsafe ByteView(UnsafeRawBufferPointer(bytes)))
        }
    }

    /// - Parameter name: The folded name, or one of ASCII.
    private func rule(forLowercased name: ByteView) -> Rule? {
        for (folded, rule) in rules where folded.count <= name.count {
            let isNested = folded.count == name.count || name[folded.count] == UInt8(ascii: ".")
            if isNested, folded.indices.allSatisfy({ Self.lowercase(name[$0]) == folded[$0] }) { return rule }
        }
        return nil
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    /// A name that is the same for all cases of its letters.
    private static func fold(_ name: String) -> String { name.uppercased().lowercased() }
}
