import TelemetryModels

/// A value whose parts are changed by several processes.
protocol MergeableDocument {
    /// Returns this value, which other processes have changed since `base`, with the changes between `base` and `mine`.
    /// - Parameter base: Nil if `mine` replaces the whole value.
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
