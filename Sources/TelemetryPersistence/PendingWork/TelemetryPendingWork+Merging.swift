package import TelemetryModels

extension TelemetryPendingWork: MergeableDocument {
    /// This work, which others have changed since `base`, with what was changed between `base` and `mine`.
    /// - Parameter base: Nil where `mine` is meant to replace whatever there is.
    package func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base, self != base else { return mine }
        var merged = self
        for clientId in base.registrations where !mine.registrations.contains(clientId) {
            merged.removeRegistration(of: clientId)
        }
        for clientId in mine.registrations where !base.registrations.contains(clientId) {
            merged.addRegistration(of: clientId)
        }
        // What somebody else found outdated since is not in the backup that was made here.
        if mine.backup != base.backup, backup == base.backup || backup != .outdated { merged.backup = mine.backup }
        merged.deletions.removeAll { base.deletions.contains($0) && !mine.deletions.contains($0) }
        for deletion in mine.deletions where !base.deletions.contains(deletion) { merged.add(deletion) }
        return merged
    }

    /// Adds everything that other work asks for; what is here already is not added again.
    package mutating func add(_ other: TelemetryPendingWork) {
        for clientId in other.registrations { addRegistration(of: clientId) }
        if other.backup == .outdated { backup = .outdated }
        for deletion in other.deletions where !deletions.contains(deletion) { add(deletion) }
    }
}
