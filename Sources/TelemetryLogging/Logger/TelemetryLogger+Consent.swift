import Synchronization
import TelemetryModels

extension TelemetryLogger: TelemetryConsentFollowing {
    package nonisolated func follow(_ check: TelemetryConsentCheck) { consent.withLock { $0 = check } }

    package nonisolated func withdraw() {
        isWithdrawn.store(true, ordering: .sequentiallyConsistent)
        close()
    }

    package var hasStragglers: Bool { delivery.appending.contains { $0 != pump?.id } }

    /// Another process may have ended the consent: asked as late as possible, before each append.
    /// - Throws: `CancellationError` where the events must not be sent; then the pump is not current any more.
    func requireConsent(for events: [TelemetryEvent], id: UInt64) async throws {
        guard let consent = consent.withLock(\.self) else { return }
        var stands = await consent.stands(events.last?.clientId)
        if stands, let first = events.first, first.clientId != events.last?.clientId {
            stands = await consent.stands(first.clientId)
        }
        // Turned off meanwhile, and perhaps on again: that is not to be undone.
        guard isCurrent(id) else { throw CancellationError() }
        guard !stands else { return }
        withdraw()
        await consent.onWithdrawal()
        throw CancellationError()
    }
}
