/// Denied scenarios and the pause, which are kept if the scenarios' states are removed.
struct ScenarioControls: Codable, Sendable, Equatable {
    /// The scenarios that the user forbids, each with `true`.
    var denied: [String: Bool] = [:]
    var isPausedByHost = false
    var isPausedByViewer = false

    var pause: TelemetryPause {
        get { (isPausedByHost ? TelemetryPause.byHost : []).union(isPausedByViewer ? .byViewer : []) }
        set {
            isPausedByHost = newValue.contains(.byHost)
            isPausedByViewer = newValue.contains(.byViewer)
        }
    }
}

extension ScenarioControls: MergeableDocument {
    func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base else { return mine }
        var merged = self
        merged.denied = denied.merging(mine.denied, since: base.denied)
        if mine.isPausedByHost != base.isPausedByHost { merged.isPausedByHost = mine.isPausedByHost }
        if mine.isPausedByViewer != base.isPausedByViewer { merged.isPausedByViewer = mine.isPausedByViewer }
        return merged
    }
}
