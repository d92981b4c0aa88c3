/// Short names of clients for a narrow column, different for different clients where possible.
struct ShortNames {
    private let width: Int
    private let aliases: ClientAliases
    /// Whether the first characters distinguish all clients.
    private let arePrefixesUnique: Bool

    init(_ identifiers: some Sequence<String>, width: Int, aliases: ClientAliases = ClientAliases()) {
        self.width = width
        self.aliases = aliases
        var prefixes: Set<Substring> = []
        arePrefixesUnique = identifiers.allSatisfy { prefixes.insert(aliases.label(of: $0).prefix(width)).inserted }
    }

    /// The client's alias or identifier if it fits, otherwise its first characters or, if those are ambiguous, its first and last
    /// ones.
    func name(_ identifier: String) -> String {
        let text = aliases.label(of: identifier).shortened.visible
        guard text.displayWidth > width else { return text }
        if arePrefixesUnique { return text.hardCut(to: width) }
        let end = String(text.reversed().prefix(max(1, width * 3 / 4 - 1)).reversed())
        return text.hardCut(to: max(1, width - 1 - end.displayWidth)) + "…" + end
    }
}

extension String {
    /// The first characters, without an ellipsis.
    fileprivate func hardCut(to width: Int) -> String { wrapped(to: width).first ?? "" }
}
