package import TelemetryModels

extension TelemetrySettings {
    /// The person opts out: back to the defaults.
    ///
    /// For stores, which complete an opt-out that could not be written before and cannot reach the pending work: the deletion of
    /// what the client has at the store is embedded, until the service moves it to where pending work is kept.
    package mutating func optOut() {
        optOuts &+= 1
        withdraw()
    }

    /// Ends the consent, whoever ended it, and embeds the deletion of what the client has at the store.
    package mutating func withdraw() {
        let clientId = clientIdentifier
        discardConsent()
        if let clientId { embeddedWork.add(.init(clientId: clientId)) }
    }

    /// Back to the defaults; pending deletions stay.
    package mutating func discardConsent() {
        if let clientIdentifier { embeddedWork.removeRegistration(of: clientIdentifier) }
        telemetryRequested = false
        telemetrySendingEnabled = false
        clientIdentifier = nil
    }
}
