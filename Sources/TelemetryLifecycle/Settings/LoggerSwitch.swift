import TelemetryLogging

/// Steers the logger: whose events it takes, and whether it records any.
@MainActor
final class LoggerSwitch {
    let logger: any TelemetryLogging
    /// Nil until the logger was activated: until then it holds what is logged.
    private var isOn: Bool?
    private var clientId: String?

    init(_ logger: any TelemetryLogging) { self.logger = logger }

    /// Begins to record, or to refuse, or changes from one to the other.
    func turn(on: Bool, clientId: String?) async {
        // Whatever is recorded bears the identifier of its client, or could never be deleted with it.
        if on || isOn == nil { await identify(clientId) }
        if isOn != on {
            let isFirst = isOn == nil
            isOn = on
            if isFirst { await logger.activate(enabled: on) } else { await logger.setEnabled(on) }
        }
        if !on { await identify(clientId) }
    }

    /// Forgets what was recorded and not sent: that is what being turned off means to a logger.
    func discardWaiting() async {
        guard isOn == true else { return }
        await logger.setEnabled(false)
        await logger.setEnabled(true)
    }

    /// Whether something that was given up when the logger was turned off may still reach the store.
    var hasStragglers: Bool {
        get async { await (logger as? TelemetryLogger)?.hasStragglers ?? false }
    }

    private func identify(_ clientId: String?) async {
        guard self.clientId != clientId else { return }
        self.clientId = clientId
        await logger.setClientIdentifier(clientId)
    }
}
