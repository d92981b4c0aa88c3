#if canImport(CloudKit)
import TelemetryCloudKit
public import TelemetryLifecycle
import TelemetryTransport

extension TelemetryLifecycleService {
    /// Takes the payload of a push, as an app delegate gets it, and does what it asks to look at.
    /// - Returns: Whether it was for this client; false also for any push that is not from CloudKit.
    public func handleRemoteNotification(_ userInfo: [AnyHashable: Any]) async -> Bool {
        guard let notification = TelemetryNotification(userInfo: userInfo) else { return false }
        return await handleRemoteNotification(notification)
    }
}
#endif
