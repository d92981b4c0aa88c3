package import TelemetryModels

/// An opt-out takes precedence over everything that was decided before it, and over everything of which nobody can know
/// whether it was.
extension TelemetrySettings: MergeableDocument {
    package func merging(_ mine: Self, since base: Self?) -> Self {
        guard let base else { return replaced(by: mine) }
        var merged = self
        merged.optOuts &+= mine.optOuts &- base.optOuts
        merged.embeddedWork = embeddedWork.merging(mine.embeddedWork, since: base.embeddedWork)
        let isOptOut = mine.optOuts != base.optOuts
        if isOptOut, !mine.telemetryRequested {
            merged.withdraw()
        } else if optOuts != base.optOuts {
            // Somebody has opted out since: what is stored stands.
            for clientId in mine.embeddedWork.registrations where !embeddedWork.registrations.contains(clientId) {
                merged.embeddedWork.removeRegistration(of: clientId)
            }
        } else if isOptOut {
            merged.takeConsent(of: mine, since: base)
        } else {
            merged.takeChanges(of: mine, since: base)
        }
        if !merged.telemetryRequested { merged.telemetrySendingEnabled = false }
        return merged
    }

    private func replaced(by mine: Self) -> Self {
        guard mine.telemetryRequested, optOuts > mine.optOuts else {
            var replaced = mine
            replaced.optOuts = max(optOuts, mine.optOuts)
            return replaced
        }
        return self
    }

    /// The person has opted out and in again: the new client, unless somebody else has put another one in place.
    private mutating func takeConsent(of mine: Self, since base: Self) {
        guard clientIdentifier == base.clientIdentifier else { return }
        telemetryRequested = mine.telemetryRequested
        clientIdentifier = mine.clientIdentifier
        telemetrySendingEnabled = mine.telemetrySendingEnabled
    }

    /// What was decided about a client holds for that client alone.
    private mutating func takeChanges(of mine: Self, since base: Self) {
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
