package import TelemetryModels

extension TelemetrySettings {
    /// The person opts out: back to the defaults, owing the deletion of what the client has at the store.
    package mutating func optOut() {
        optOuts &+= 1
        withdraw()
    }

    /// Ends the consent, whoever ended it: back to the defaults, owing the deletion of what the client has at the store.
    /// - Parameter command: The viewer's command that asked for it.
    package mutating func withdraw(command: TelemetryRecord.ID? = nil) {
        let clientId = clientIdentifier
        discardConsent()
        if let clientId { oweDeparture(of: clientId, command: command) }
    }

    /// Back to the defaults; what is owed stays.
    package mutating func discardConsent() {
        telemetryRequested = false
        telemetrySendingEnabled = false
        clientIdentifier = nil
        obligations.registration = false
    }

    /// From now on everything that the client has at the store is to be deleted, also where that was done before.
    package mutating func oweDeparture(of clientId: String, command: TelemetryRecord.ID? = nil) {
        obligations.add(.init(clientId: clientId, command: command))
    }
}
