package import TelemetryModels

extension TelemetryPendingWork: MergeableDocument {
    /// Returns this work, which other processes have changed since `base`, with the changes between `base` and `mine`.
    /// - Parameter base: Nil if `mine` replaces the whole value.
    package func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base, self != base else { return mine }
        var merged = self
        for clientId in base.registrations where !mine.registrations.contains(clientId) {
            merged.removeRegistration(of: clientId)
        }
        for clientId in mine.registrations where !base.registrations.contains(clientId) {
            merged.addRegistration(of: clientId)
        }
        // If another process marked the backup as outdated since, the backup made here does not contain its change.
        if mine.backup != base.backup, backup == base.backup || backup != .outdated { merged.backup = mine.backup }
        merged.deletions.removeAll { base.deletions.contains($0) && !mine.deletions.contains($0) }
        for deletion in mine.deletions where !base.deletions.contains(deletion) { merged.add(deletion) }
        return merged
    }

    /// Adds the other value's work without duplicates.
    package mutating func add(_ other: TelemetryPendingWork) {
        for clientId in other.registrations { addRegistration(of: clientId) }
        if other.backup == .outdated { backup = .outdated }
        for deletion in other.deletions where !deletions.contains(deletion) { add(deletion) }
    }
}
