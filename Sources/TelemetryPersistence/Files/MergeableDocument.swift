import TelemetryModels

/// A value of which several processes change parts.
protocol MergeableDocument {
    /// This value, which others have changed since `base`, with what was changed between `base` and `mine`.
    /// - Parameter base: Nil where `mine` is meant to replace whatever there is.
    func merging(_ mine: Self, since base: Self?) -> Self
}

extension Dictionary: MergeableDocument where Key == String, Value: Equatable {
    func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base else { return mine }
        var merged = self
        for key in Set(base.keys).union(mine.keys) where mine[key] != base[key] { merged[key] = mine[key] }
        return merged
    }
}
