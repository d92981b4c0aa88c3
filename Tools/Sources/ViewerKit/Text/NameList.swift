extension Collection<String> {
    /// The first names in alphabetical order, each shortened and with control characters escaped, and the number of the others.
    public var nameList: String {
        let limit = 8
        let shown = sorted().prefix(limit).map { $0.visible.fitted(to: 40) }.joined(separator: ", ")
        return count > limit ? "\(shown) and \((count - limit).grouped) more" : shown
    }
}
