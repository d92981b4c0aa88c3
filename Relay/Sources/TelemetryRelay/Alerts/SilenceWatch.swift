import Foundation

/// Checks for how long clients were not seen, while there are alerts about that.
actor SilenceWatch {
    private let alerts: any RelayAlertStorage
    private let clients: ClientDirectory
    private let sightings: ClientSightings
    private let uptime: @Sendable () -> Duration
    /// When the last check began.
    private var checked: Duration?

    init(
        alerts: any RelayAlertStorage, clients: ClientDirectory, sightings: ClientSightings,
        uptime: @escaping @Sendable () -> Duration
    ) {
        (self.alerts, self.clients, self.sightings, self.uptime) = (alerts, clients, sightings, uptime)
    }

    /// Stores who was seen, and adds messages for alerts that fire, if it is time. One call at a time.
    /// - Returns: the firings whose message cannot be sent.
    func check(message: @escaping @Sendable (RelayFiring) -> RelayAlertMessage) async throws -> [RelayUnsentFiring] {
        let alerts = try await alerts.all().alerts.filter { $0.isEnabled && $0.silence != nil }
        sightings.isNeeded = !alerts.isEmpty
        guard let interval = alerts.compactMap(\.silence?.interval).min() else { return [] }
        let now = uptime()
        if let checked, now - checked < .seconds(interval) { return [] }
        checked = now
        var visibilities: [Int64: Visibility] = [:]
        for alert in alerts { visibilities[alert.revision] = try await Visibility(of: .owner(of: alert), clients) }
        let watch = RelayClientWatch(alerts: alerts, approved: try await clients.approved(), seen: sightings.take()) {
            [visibilities] alert, client in
            guard let silence = alert.silence, let visibility = visibilities[alert.revision] else { return false }
            return [silence.clients].admits(client) && visibility.sees(client: client)
        }
        do {
            return try await self.alerts.watch(watch, message: message)
        } catch {
            sightings.restore(watch.seen)
            throw error
        }
    }
}
