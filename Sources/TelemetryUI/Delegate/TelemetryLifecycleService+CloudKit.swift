#if canImport(CloudKit)
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport

extension TelemetryLifecycleService {
    /// Handles the payload of a push that an app delegate received, and refreshes what it concerns.
    /// - Returns: Whether it was for this client; false also for any push that is not from CloudKit.
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) async -> Bool {
        guard let notification = TelemetryNotification(userInfo: userInfo) else { return false }
        return await handleRemoteNotification(notification)
    }
}
#endif
