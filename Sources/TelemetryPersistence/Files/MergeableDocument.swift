import TelemetryModels

/// A value of which several processes change parts.
protocol MergeableDocument {
    /// This value, which others have changed since `base`, with what was changed between `base` and `mine`.
    func merging(_ mine: Self, since base: Self) -> Self
}

extension [String: Bool]: MergeableDocument {
    func merging(_ mine: Self, since base: Self) -> Self {
        var merged = self
        for key in Set(base.keys).union(mine.keys) where mine[key] != base[key] { merged[key] = mine[key] }
        return merged
    }
}

extension TelemetrySettings: MergeableDocument {
    func merging(_ mine: Self, since base: Self) -> Self {
        var merged = self
        func take<Part: Equatable>(_ part: WritableKeyPath<Self, Part>) {
            if mine[keyPath: part] != base[keyPath: part] { merged[keyPath: part] = mine[keyPath: part] }
        }
        take(\.telemetryRequested)
        take(\.telemetrySendingEnabled)
        take(\.clientIdentifier)
        take(\.obligations.registration)
        take(\.obligations.cleanups)
        take(\.obligations.backup)
        return merged
    }
}
