import TelemetryModels

/// An opt-out takes precedence over every decision that was made, or may have been made, before it.
extension SettingsDocument: MergeableDocument {
    package func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base else { return replaced(by: mine) }
        var merged = self
        merged.optOuts &+= mine.optOuts &- base.optOuts
        merged.embeddedWork = embeddedWork.merging(mine.embeddedWork, since: base.embeddedWork)
        let isOptOut = mine.optOuts != base.optOuts
        if isOptOut, !mine.settings.telemetryRequested {
            merged.withdraw()
        } else if optOuts != base.optOuts, !isOptOut || !settings.telemetryRequested {
            // Another process has opted out since: the stored settings are kept.
        } else if isOptOut {
            // A client that was not known here may be older than the opt-out.
            if settings.clientIdentifier != base.settings.clientIdentifier { merged.withdraw() }
            merged.settings = mine.settings
        } else {
            merged.settings.merge(mine.settings, since: base.settings)
        }
        if !merged.settings.telemetryRequested { merged.settings.telemetrySendingEnabled = false }
        return merged
    }

    private func replaced(by mine: Self) -> Self {
        guard mine.settings.telemetryRequested, optOuts > mine.optOuts else {
            var replaced = mine
            replaced.optOuts = max(optOuts, mine.optOuts)
            return replaced
        }
        return self
    }
}

extension TelemetrySettings {
    /// Adds the changes of one client; they do not apply to another one.
    fileprivate mutating func merge(_ mine: Self, since base: Self) {
        let isSameClient = clientIdentifier == base.clientIdentifier
        if mine.telemetryRequested != base.telemetryRequested, mine.telemetryRequested || isSameClient {
            telemetryRequested = mine.telemetryRequested
        }
        if isSameClient { clientIdentifier = mine.clientIdentifier }
        if mine.telemetrySendingEnabled != base.telemetrySendingEnabled, clientIdentifier == mine.clientIdentifier {
            telemetrySendingEnabled = mine.telemetrySendingEnabled
        }
    }
}
