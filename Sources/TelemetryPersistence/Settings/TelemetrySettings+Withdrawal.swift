package import TelemetryModels

extension TelemetrySettings {
    /// Opts out: resets the settings to the defaults.
    ///
    /// For settings stores, which complete an opt-out that could not be written before and have no access to the pending work:
    /// the deletion of the client's data is embedded until the service moves it to the pending work.
    package mutating func optOut() {
        optOuts &+= 1
        withdraw()
    }

    /// Ends the consent, for the user or a viewer, and embeds the deletion of the client's data in the store.
    package mutating func withdraw() {
        let clientId = clientIdentifier
        discardConsent()
        if let clientId { embeddedWork.add(.init(clientId: clientId)) }
    }

    /// Resets the settings to the defaults; pending deletions are kept.
    package mutating func discardConsent() {
        telemetryRequested = false
        telemetrySendingEnabled = false
        clientIdentifier = nil
    }
}
