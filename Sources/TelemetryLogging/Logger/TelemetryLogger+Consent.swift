import Synchronization
import TelemetryModels

extension TelemetryLogger: TelemetryConsentFollowing {
    package nonisolated func follow(_ check: TelemetryConsentCheck) { consent.withLock { $0 = check } }

    package nonisolated func withdraw() {
        isWithdrawn.store(true, ordering: .sequentiallyConsistent)
        close()
    }

    package var hasStragglers: Bool { delivery.appending.contains { $0 != pump?.id } }

    /// Checks consent as late as possible, before each append, because another process may have withdrawn it.
    /// - Throws: `CancellationError` if the events must not be sent; the pump is no longer current then.
    func requireConsent(of clientId: String?, id: UInt64) async throws {
        guard let consent = consent.withLock(\.self) else { return }
        let isGranted = await consent.isGranted(clientId)
        // If recording was turned off meanwhile, and perhaps on again, that must not be undone.
        guard isCurrent(id) else { throw CancellationError() }
        guard !isGranted else { return }
        withdraw()
        await consent.onWithdrawal()
        throw CancellationError()
    }
}
