import Foundation

/// Checks for how long clients were not seen, while there are alerts about that.
actor SilenceWatch {
    private let alerts: any RelayAlertStorage
    private let clients: KnownClients
    private let sightings: ClientSightings
    private let uptime: @Sendable () -> Duration
    /// When the last check began.
    private var checked: Duration?

    init(
        alerts: any RelayAlertStorage, clients: KnownClients, sightings: ClientSightings,
        uptime: @escaping @Sendable () -> Duration
    ) {
        (self.alerts, self.clients, self.sightings, self.uptime) = (alerts, clients, sightings, uptime)
    }

    /// Stores who was seen, and adds messages for alerts that fire, if it is time. One call at a time.
    /// - Parameter isLast: whether there is no later check, so that it is always time.
    /// - Returns: the firings whose message cannot be sent.
    func check(
        isLast: Bool = false, message: @escaping @Sendable (RelayFiring) -> RelayAlertMessage
    ) async throws -> [RelayUnsentFiring] {
        let alerts = try await alerts.all().alerts.filter { $0.isEnabled && $0.silence != nil }
        sightings.isNeeded = !alerts.isEmpty
        guard !alerts.isEmpty else { return [] }
        let now = uptime()
        let shortest = RelayClientWatch.interval(of: alerts, clients: 0)
        if !isLast, let checked, now - checked < .seconds(shortest) { return [] }
        let approved = try await clients.approved()
        let interval = RelayClientWatch.interval(of: alerts, clients: approved.count)
        if !isLast, let checked, now - checked < .seconds(interval) { return [] }
        var visibilities: [Int64: Visibility] = [:]
        for alert in alerts { visibilities[alert.revision] = try await Visibility(of: .owner(of: alert), clients) }
        let watch = RelayClientWatch(alerts: alerts, approved: approved, seen: sightings.take(), interval: interval) {
            [visibilities] alert, client in
            guard let silence = alert.silence, let visibility = visibilities[alert.revision] else { return false }
            return [silence.clients].admits(client) && visibility.sees(client: client)
        }
        do {
            let unsent = try await self.alerts.watch(watch, message: message)
            checked = now
            return unsent
        } catch {
            sightings.restore(watch.seen)
            throw error
        }
    }
}
