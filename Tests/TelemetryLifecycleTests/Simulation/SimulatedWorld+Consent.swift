import Foundation
import TelemetryLifecycle
import TelemetryModels

/// The user's decisions, and what must hold after them.
extension SimulatedWorld {
    func consent(_ isWanted: Bool, _ process: SimulatedProcess) {
        let device = process.device
        note("\(process.name): wants \(isWanted)")
        let others = device.processes.filter { $0 !== process }
        let serial = device.consent.serial + 1
        device.consent = SimulatedDevice.Consent(
            isWanted: isWanted, isBinding: false,
            isAmbiguous: others.contains { mayDecideLater(!isWanted, $0) }, serial: serial, process: process,
            earlierMarks: device.consent.isWanted == isWanted ? device.consent.earlierMarks : device.markCount)
        process.openDecisions[serial] = .init(isWanted: isWanted, isDelayed: isDelayed(process), step: stepCount)
        process.call { service in
            if isWanted {
                for process in device.processes { process.hasOptedOut = false }
                await service.enableTelemetry()
            } else {
                // On the call itself, before anything else can happen.
                process.hasOptedOut = device.consent.serial == serial || process.hasOptedOut
                await service.disableTelemetry()
            }
            process.openDecisions[serial] = nil
            // Only the last decision counts, and only if its process lived until the call returned.
            guard !process.isDead, device.consent.serial == serial else { return }
            // An opt-in that could not be written is lost with its process.
            device.consent.isBinding = !isWanted || !self.hasHelpers || device.settings.telemetryRequested
        }
    }

    /// Whether a decision in progress may yet overrule a new, opposite one. An opt-in cannot once it has read the number of
    /// opt-outs, which takes fewer than five steps unless something delays the process.
    private func mayDecideLater(_ isWanted: Bool, _ process: SimulatedProcess) -> Bool {
        process.openDecisions.values.contains {
            $0.isWanted == isWanted && (!isWanted || $0.isDelayed || $0.step + 5 > stepCount)
        }
    }

    /// Whether earlier decisions, or a change of the device's stores, delay a decision made now.
    private func isDelayed(_ process: SimulatedProcess) -> Bool {
        !process.openDecisions.isEmpty || gates.contains { $0.isLocal && $0.process === process }
    }

    /// An opt-out is binding after nothing on the device has delayed it for a number of steps, whatever happens to its process.
    func noteProgress() {
        guard hasHelpers else { return }
        for device in devices where !device.consent.isWanted && !device.consent.isBinding {
            guard let process = device.consent.process, !process.isDead else { continue }
            guard !gates.contains(where: { $0.isLocal && $0.process === process }) else { continue }
            device.consent.unhinderedSteps += 1
            if device.consent.unhinderedSteps >= 10 { device.consent.isBinding = true }
        }
    }

    /// Checks consent and approval for an event that a logger has accepted.
    func accepted(_ clientId: String?, by process: SimulatedProcess) {
        guard let clientId else { return violate("an event without a client was recorded") }
        if !approved.contains(clientId) { violate("an event of \(clientId) was recorded without an approval") }
        if process.hasOptedOut { violate("\(process.name) recorded an event of \(clientId) after its opt-out") }
        let consent = process.device.consent
        if !hasHelpers, !consent.isWanted, consent.isBinding {
            violate("an event of \(clientId) was recorded after its opt-out")
        }
    }

    /// Checks that no opt-out has taken effect before a delivery begins.
    /// - Parameter hasOptOut: Whether an opt-out was recorded before the consent was checked.
    func deliveryBegins(_ clientId: String, by process: SimulatedProcess, afterRecordedOptOut hasOptOut: Bool) {
        note("\(process.name): sends an event of \(clientId)")
        if process.hasOptedOut { violate("\(process.name) sends an event of \(clientId) after its opt-out") }
        if hasOptOut {
            violate("\(process.name) sends an event of \(clientId) after an opt-out in another process")
        }
    }

    func deliver(_ clientId: String, session: String, by process: SimulatedProcess) {
        let event = TelemetryEvent(
            clientId: clientId, sessionId: session, name: "e",
            timestamp: Self.date(of: clock) + process.device.skew.seconds)
        store.append([event], by: process.device.user)
    }
}
